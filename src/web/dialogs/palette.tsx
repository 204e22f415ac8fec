import { type KeyboardEvent, useState } from "react";
import { goTo, goToAdministration, goToSettings } from "../shell/address.ts";
import { download } from "../shell/download.ts";
import { conversation } from "../state/conversation.ts";
import { focusDraft } from "../state/draft.ts";
import { chooseImport } from "../state/imports.ts";
import { stop } from "../state/live-run.ts";
import { attempt, notify } from "../state/notices.ts";
import { mayAdminister, person } from "../state/person.ts";
import { prefer } from "../state/preferences.ts";
import { chat } from "../state/server.ts";
import { sessions } from "../state/sessions.ts";
import { summarize } from "../state/summarize.ts";
import { t } from "../text/t.ts";
import { Dialog } from "../ui/dialog.tsx";

interface Command {
  id: string;
  label: string;
  run(): void;
}

/** Finds commands and conversations by a few letters. */
export function Palette({ onClose }: { onClose(): void }) {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const list = sessions((state) => state.sessions);
  const words = query.toLowerCase().split(/\s+/);
  const all = [...commands(), ...list.map(({ id, title }) => ({ id, label: title, run: () => goTo(id) }))];
  const found = all
    .filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
    .slice(0, 30);
  const chosen = Math.min(at, found.length - 1);

  function run(command: Command | undefined): void {
    if (!command) return;
    onClose();
    // The dialog gives the focus back first; then the command may move it.
    setTimeout(command.run);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((chosen + step + found.length) % Math.max(1, found.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(found[chosen]);
    }
  }

  return (
    <Dialog title={t("commands")} onClose={onClose} className="palette" part="palette">
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[chosen] && `palette-${found[chosen].id}`}
        aria-label={t("commandsPlaceholder")}
        placeholder={t("commandsPlaceholder")}
        value={query}
        onChange={({ target }) => {
          setQuery(target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-list" role="listbox" aria-label={t("commands")}>
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
          <div
            key={command.id}
            id={`palette-${command.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => run(command)}
          >
            {command.label}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="hint">{t("nothingFound")}</p>}
    </Dialog>
  );
}

function commands(): Command[] {
  const { sessionId, live } = conversation.getState();
  return [
    { id: "new", label: t("newChat"), run: () => goTo(undefined) },
    { id: "write", label: t("focusMessage"), run: focusDraft },
    ...(live ? [{ id: "stop", label: t("stop"), run: () => void stop() }] : []),
    { id: "import", label: t("importSessions"), run: chooseImport },
    { id: "settings", label: t("settings"), run: () => goToSettings() },
    ...(mayAdminister(person.getState().me)
      ? [{ id: "administration", label: t("administration"), run: goToAdministration }]
      : []),
    ...(["light", "dark", "system"] as const).map((theme) => ({
      id: theme,
      label: `${t("theme")}: ${t(theme)}`,
      run: () => prefer({ theme }),
    })),
    ...(sessionId === undefined
      ? []
      : [
          { id: "md", label: t("exportMarkdown"), run: () => void download(sessionId, "md") },
          { id: "json", label: t("exportJson"), run: () => void download(sessionId, "json") },
          ...(live
            ? []
            : [{ id: "compact", label: t("compact"), run: () => void attempt(() => summarize(sessionId)) }]),
          { id: "rollback", label: t("rollback"), run: () => void attempt(() => undoChanges(sessionId)) },
        ]),
  ];
}

async function undoChanges(sessionId: string): Promise<void> {
  const { undone, notUndone } = await chat.rollbackSession(sessionId);
  notify({ text: t("rollbackDone", { undone: undone.length, kept: notUndone.length }) });
}
