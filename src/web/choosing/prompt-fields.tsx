import { type KeyboardEvent as ReactKeyboardEvent, type RefObject, useLayoutEffect, useRef } from "react";
import { fillFields, type SavedPrompt } from "../../protocol/prompt-fields.ts";
import { draft, writeDraft } from "../state/draft.ts";
import { t } from "../text/choosing.ts";
import { Button } from "../ui/button.tsx";
import { Floating } from "../ui/floating.tsx";

interface Props {
  field: RefObject<HTMLElement | null>;
  prompt: SavedPrompt;
  onClose(): void;
}

/** Asks for the fields of a prompt, then puts its text into the message. */
export function PromptFields({ field, prompt, onClose }: Props) {
  const fields = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => fields.current?.querySelector("textarea")?.focus(), []);

  function finish(): void {
    const areas = [...(fields.current?.querySelectorAll("textarea") ?? [])];
    const values = Object.fromEntries(areas.map(({ name, value }) => [name, value]));
    onClose();
    writeDraft(fillFields(prompt.text, values), draft.getState().attachments);
  }

  function onKeyDown(event: ReactKeyboardEvent): void {
    event.stopPropagation();
    const areas = [...(fields.current?.querySelectorAll("textarea") ?? [])];
    const at = areas.indexOf(event.target as HTMLTextAreaElement);
    if (event.key === "Escape") {
      onClose();
      field.current?.focus();
    } else if (event.key === "Enter" && !event.shiftKey && at !== -1) {
      const next = areas[at + 1];
      if (next) next.focus();
      else finish();
    } else return;
    event.preventDefault();
  }

  return (
    <Floating
      anchor={field}
      sheet={false}
      onClose={onClose}
      onKeyDown={onKeyDown}
      role="dialog"
      aria-label={`/${prompt.name}`}
      className="fields-form"
    >
      {/* Not a form: it stands inside that of the message. */}
      <div ref={fields} className="prompt-form">
        {prompt.fields.map((name) => (
          <label key={name}>
            {name}
            <textarea name={name} rows={1} maxLength={10_000} />
          </label>
        ))}
        <p className="choices">
          <Button className="primary" onClick={finish}>
            {t("usePrompt")}
          </Button>
          <Button className="quiet" onClick={onClose}>
            {t("cancel")}
          </Button>
        </p>
      </div>
    </Floating>
  );
}
