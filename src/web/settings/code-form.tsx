import type { ToolSource } from "../../protocol/added-tools.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/choosing.ts";
import { Button } from "../ui/button.tsx";
import { Field, useForm } from "../ui/form.tsx";

/** What a new tool begins with. */
const EXAMPLE = `export default {
  name: "word_count",
  description: "Counts the words of a text.",
  effect: "none",
  parameters: {
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
  },
  run: ({ text }) => ({ words: text.split(/\\s+/).filter(Boolean).length }),
};
`;

interface Props {
  /** The tool to change. Missing for a new one. */
  source?: ToolSource;
  onSaved(): Promise<void>;
  onCancel(): void;
}

/** The code of a tool. It is loaded before it is stored, and says what is wrong with it. */
export function CodeForm({ source, onSaved, onCancel }: Props) {
  const { problem, busy, submit } = useForm(async (field) => {
    const code = field("code");
    if (source) await ask("PATCH", `/admin/tools/${encodeURIComponent(source.name)}`, { code });
    else await ask("POST", "/admin/tools", { name: field("name").trim(), code });
    await onSaved();
  });
  return (
    <form className="source-form prompt-form" onSubmit={submit} onReset={(event) => event.preventDefault()}>
      {!source && (
        <Field
          label={t("toolName")}
          name="name"
          required
          maxLength={40}
          defaultValue="word_count"
          autoFocus
        />
      )}
      <label>
        {t("toolCode")}
        <textarea
          className="tool-code"
          name="code"
          rows={14}
          required
          maxLength={50_000}
          defaultValue={source?.code ?? EXAMPLE}
          autoComplete="off"
          spellCheck={false}
          dir="ltr"
        />
      </label>
      <p className="hint">{t("toolWarning")}</p>
      {problem}
      <p className="choices">
        <button type="submit" className="primary" disabled={busy}>
          {t(busy ? "keyChecking" : source ? "saveTool" : "addToolNow")}
        </button>
        <Button className="quiet" onClick={onCancel}>
          {t("cancel")}
        </Button>
      </p>
    </form>
  );
}
