import "../style/choosing.css";
import { useState } from "react";
import type { SavedPrompt } from "../../protocol/prompt-fields.ts";
import { leaving, removeWithUndo } from "../state/leaving.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/choosing.ts";
import { Button } from "../ui/button.tsx";
import { Field, useForm } from "../ui/form.tsx";
import { Icon } from "../ui/icons.tsx";
import { useRoute } from "../ui/loaded.ts";
import { Menu } from "../ui/menu.tsx";

/** The prompts that the person has saved. */
export function PromptSettings() {
  const [turn, setTurn] = useState(0);
  const hidden = leaving((state) => state.ids);
  const stored = useRoute<{ prompts: SavedPrompt[] }>("/prompts", turn)?.prompts;
  const prompts = stored?.filter(({ id }) => !hidden.includes(id));
  const [open, setOpen] = useState<string>();
  const changed = () => {
    setOpen(undefined);
    setTurn(turn + 1);
  };
  return (
    <>
      {prompts?.length === 0 && open === undefined && <p className="hint">{t("noPrompts")}</p>}
      <ul className="settings-rows">
        {prompts?.map((prompt) =>
          open === prompt.id ? (
            <li key={prompt.id}>
              <PromptForm prompt={prompt} onSaved={changed} onCancel={() => setOpen(undefined)} />
            </li>
          ) : (
            <li key={prompt.id}>
              <div className="grow prompt-row">
                <b>/{prompt.name}</b>
                <small>{prompt.description ?? prompt.text.split("\n")[0]}</small>
              </div>
              <Menu
                label={t("actionsFor", { name: prompt.name })}
                items={[
                  { label: t("editPrompt"), icon: "edit", run: () => setOpen(prompt.id) },
                  {
                    label: t("delete"),
                    icon: "trash",
                    danger: true,
                    apart: true,
                    run: () =>
                      removeWithUndo({
                        id: prompt.id,
                        text: t("removedSource", { name: prompt.name }),
                        path: `/prompts/${prompt.id}`,
                        refresh: () => setTurn((count) => count + 1),
                      }),
                  },
                ]}
              >
                <Icon name="more" />
              </Menu>
            </li>
          ),
        )}
        {open === "" && (
          <li>
            <PromptForm onSaved={changed} onCancel={() => setOpen(undefined)} />
          </li>
        )}
      </ul>
      {open !== "" && (
        <p className="choices">
          <Button onClick={() => setOpen("")}>{t("newPrompt")}</Button>
        </p>
      )}
    </>
  );
}

interface FormProps {
  prompt?: SavedPrompt;
  onSaved(): void;
  onCancel(): void;
}

function PromptForm({ prompt, onSaved, onCancel }: FormProps) {
  const { problem, busy, submit } = useForm(async (field) => {
    const name = plainName(field("name"));
    if (name === "") throw new Error(t("promptNameWrong"));
    const body = {
      name,
      description: field("description").trim(),
      text: field("text"),
    };
    if (prompt) await ask("PATCH", `/prompts/${prompt.id}`, body);
    else await ask("POST", "/prompts", body);
    onSaved();
  });
  return (
    <form className="grow prompt-form" onSubmit={submit}>
      <Field
        label={t("promptName")}
        name="name"
        defaultValue={prompt?.name}
        required
        maxLength={40}
        autoFocus
      />
      <Field
        label={t("promptDescription")}
        name="description"
        defaultValue={prompt?.description}
        maxLength={200}
      />
      <label>
        {t("promptText")}
        <textarea name="text" dir="auto" defaultValue={prompt?.text} rows={6} maxLength={10_000} required />
      </label>
      <p className="hint">{t("promptHint")}</p>
      {problem}
      <p className="choices">
        <button type="submit" className="primary" disabled={busy}>
          {t("save")}
        </button>
        <Button className="quiet" onClick={onCancel}>
          {t("cancel")}
        </Button>
      </p>
    </form>
  );
}

/** A message asks for a prompt by its name, so that is one word. */
function plainName(said: string): string {
  return said.replace(/[^\p{L}\p{N}_-]+/gu, "-").replace(/^[_-]+|-+$/g, "");
}
