import { type ComponentProps, type FormEvent, useState } from "react";
import { sentenceOf } from "../state/notices.ts";
import { t } from "../text/t.ts";
import { Button } from "./button.tsx";
import "../style/form.css";

/** Submits a form, one request at a time. `problem` says what went wrong. */
export function useForm(send: (field: (name: string) => string) => Promise<unknown>) {
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    const values = new FormData(form);
    setBusy(true);
    setProblem("");
    try {
      await send((name) => String(values.get(name) ?? ""));
      form.reset();
    } catch (error) {
      setProblem(sentenceOf(error));
    }
    setBusy(false);
  }
  return { problem: problem === "" ? null : <FormProblem text={problem} />, busy, submit };
}

function FormProblem({ text }: { text: string }) {
  return (
    <p className="form-problem" role="alert">
      {text}
    </p>
  );
}

/** An input with its label above. */
export function Field({ label, ...input }: ComponentProps<"input"> & { label: string }) {
  return (
    <label>
      {label}
      <input {...input} />
    </label>
  );
}

/** An input for the current password, or for a new one. */
export function PasswordField({
  isNew = false,
  ...field
}: ComponentProps<"input"> & { label: string; isNew?: boolean }) {
  return (
    <Field
      name="password"
      type="password"
      required
      minLength={isNew ? 8 : 1}
      autoComplete={isNew ? "new-password" : "current-password"}
      {...field}
    />
  );
}

/** An input whose label is its placeholder. */
export function ShortField({ label, ...input }: ComponentProps<"input"> & { label: string }) {
  return <input aria-label={label} placeholder={label} {...input} />;
}

interface ChoicesProps {
  /** What the form does. */
  action: string;
  disabled: boolean;
  onCancel(): void;
  quiet?: boolean;
}

/** The buttons at the end of a form. */
export function Choices({ action, disabled, onCancel, quiet = false }: ChoicesProps) {
  return (
    <p className="choices">
      <button type="submit" className="primary" disabled={disabled}>
        {action}
      </button>
      <Button className={quiet ? "quiet" : undefined} onClick={onCancel}>
        {t("cancel")}
      </Button>
    </p>
  );
}
