import { useEffect, useId, useState } from "react";
import { number, t } from "../text/t.ts";
import "../style/form.css";

interface Range {
  min: number;
  max: number;
  /** Of one or more, the number has to be whole. */
  step: number;
}

interface Props extends Range {
  label: string;
  value: number | undefined;
  placeholder: string;
  onChange(value: number | undefined): void;
}

/** A number that may be left out. One that is out of its range is not handed on, and the range is said below it. */
export function NumberField({ label, value, placeholder, onChange, ...range }: Props) {
  const id = useId();
  const [text, setText] = useState(String(value ?? ""));
  const isWrong = !isWithin(range, numberIn(text));
  // Changed elsewhere, such as on another device.
  useEffect(() => setText((now) => (numberIn(now) === value ? now : String(value ?? ""))), [value]);
  function change(typed: string): void {
    setText(typed);
    if (isWithin(range, numberIn(typed))) onChange(numberIn(typed));
  }
  return (
    <label>
      {label}
      <span className="number-field">
        <input
          type="number"
          inputMode="decimal"
          placeholder={placeholder}
          {...range}
          value={text}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? id : undefined}
          onChange={({ target }) => change(target.value)}
        />
        {isWrong && (
          <small id={id} role="alert">
            {t(range.step < 1 ? "numberRange" : "wholeNumberRange", {
              min: number(range.min),
              max: number(range.max),
            })}
          </small>
        )}
      </span>
    </label>
  );
}

function numberIn(text: string): number | undefined {
  return text.trim() === "" ? undefined : Number(text);
}

function isWithin({ min, max, step }: Range, value: number | undefined): boolean {
  return value === undefined || (value >= min && value <= max && (step < 1 || Number.isInteger(value)));
}
