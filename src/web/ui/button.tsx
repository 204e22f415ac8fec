import type { ComponentProps } from "react";
import { Icon, type IconName } from "./icons.tsx";

/** A button that never submits a form. */
export function Button(props: ComponentProps<"button">) {
  return <button type="button" {...props} />;
}

interface IconButtonProps extends ComponentProps<"button"> {
  icon: IconName;
  /** Read aloud, and shown as a tooltip. */
  label: string;
}

/** A button that shows only an icon. */
export function IconButton({ icon, label, className, ...rest }: IconButtonProps) {
  const look = className === undefined ? "quiet" : `quiet ${className}`;
  return (
    <button type="button" className={look} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
