import type { ChangeEvent, ComponentProps } from "react";

interface Props<Value> extends Omit<ComponentProps<"select">, "value" | "onChange"> {
  value: Value | undefined;
  options: readonly { value: Value; text: string; title?: string | undefined }[];
  onChoose(value: Value): void;
  /** Shown beside it. */
  label?: string;
}

/** A select whose options are data. */
export function Select<Value extends string | number>(props: Props<Value>) {
  const { value, options, onChoose, label, ...rest } = props;
  function onChange({ target }: ChangeEvent<HTMLSelectElement>): void {
    const option = options[target.selectedIndex];
    if (option) onChoose(option.value);
  }
  const select = (
    <select value={value ?? ""} onChange={onChange} {...rest}>
      {options.map((option) => (
        <option key={option.value} value={option.value} title={option.title}>
          {option.text}
        </option>
      ))}
    </select>
  );
  if (label === undefined) return select;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the select is inside
    <label>
      {label}
      {select}
    </label>
  );
}
