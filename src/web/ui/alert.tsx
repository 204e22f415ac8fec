import type { ReactNode } from "react";
import { Icon } from "./icons.tsx";

/** A box that says what went wrong and what to do. */
export function Alert({ children }: { children: ReactNode }) {
  return (
    <div className="problem" data-part="problem" role="alert">
      <Icon name="warning" />
      {children}
    </div>
  );
}

/** A warning of one line. */
export function WarningLine({ children }: { children: ReactNode }) {
  return (
    <p className="warning-line">
      <Icon name="warning" />
      {children}
    </p>
  );
}
