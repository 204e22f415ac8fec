import { useState } from "react";
import type { Project } from "../../protocol/projects.ts";
import { attempt } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/projects.ts";
import { Button, IconButton } from "../ui/button.tsx";

const MAX_CHARACTERS = 4_000;

/** What the project's chats are told, edited in place. */
export function Instructions({ project, refresh }: { project: Project; refresh(): Promise<void> }) {
  const { id, instructions, access } = project;
  const [text, setText] = useState<string>();
  async function save(): Promise<void> {
    const saved = await attempt(async () => {
      await ask("PATCH", `/projects/${id}`, { instructions: text });
      await refresh();
    });
    if (saved) setText(undefined);
  }
  return (
    <section>
      <h2>
        {t("instructions")}
        {access !== "read" && text === undefined && (
          <IconButton icon="edit" label={t("editInstructions")} onClick={() => setText(instructions)} />
        )}
      </h2>
      {text === undefined ? (
        <p className="project-instructions" dir="auto" data-empty={instructions === ""}>
          {instructions || t(access === "read" ? "noInstructionsHere" : "instructionsHint")}
        </p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <textarea
            dir="auto"
            value={text}
            rows={8}
            maxLength={Math.max(MAX_CHARACTERS, instructions.length)}
            aria-label={t("instructions")}
            autoFocus
            onChange={({ target }) => setText(target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void save();
              if (event.key !== "Escape") return;
              event.stopPropagation();
              setText(undefined);
            }}
          />
          <p className="hint">
            {t("instructionsHint")}{" "}
            {t("charactersLeft", { count: Math.max(0, MAX_CHARACTERS - text.length) })}
          </p>
          <p className="choices">
            <button type="submit" className="primary">
              {t("save")}
            </button>
            <Button onClick={() => setText(undefined)}>{t("cancel")}</Button>
          </p>
        </form>
      )}
    </section>
  );
}
