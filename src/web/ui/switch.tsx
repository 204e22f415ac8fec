import "../style/switch.css";
import { type ReactNode, useId } from "react";

interface Props {
  label: string;
  hint?: ReactNode;
  on: boolean;
  onSwitch(on: boolean): void;
  disabled?: boolean;
}

/** A row with a name, a second line and a switch at the end. */
export function SwitchRow({ label, hint, on, onSwitch, disabled }: Props) {
  const id = useId();
  return (
    <label className="switch-row">
      <span className="switch-text">
        <b id={id}>{label}</b>
        {hint !== undefined && <small>{hint}</small>}
      </span>
      <input
        type="checkbox"
        role="switch"
        className="switch"
        aria-labelledby={id}
        checked={on}
        aria-checked={on}
        disabled={disabled}
        onChange={({ target }) => onSwitch(target.checked)}
      />
    </label>
  );
}
