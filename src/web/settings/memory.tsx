import { type FormEvent, useState } from "react";
import type { Memory, MemoryListing } from "../../protocol/projects.ts";
import { memoryChanges } from "../state/account-changes.ts";
import { leaving, removeWithUndo } from "../state/leaving.ts";
import { attempt } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/settings.ts";
import { dayText } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { ShortField } from "../ui/form.tsx";
import { useRoute } from "../ui/loaded.ts";
import { SwitchRow } from "../ui/switch.tsx";

const MAX_CHARACTERS = 500;

/** What is remembered about the person, line by line. */
export function MemorySettings() {
  const [turn, setTurn] = useState(0);
  const [sure, setSure] = useState(false);
  const changes = memoryChanges();
  const memory = useRoute<MemoryListing>("/me/memory", turn + changes);
  const hidden = leaving((state) => state.ids);
  const change = (method: "PATCH" | "DELETE", path: string, body?: object) =>
    attempt(async () => {
      await ask(method, `/me/memory${path}`, body);
      setTurn((count) => count + 1);
    });
  if (!memory) return null;
  const { enabled } = memory;
  // The newest is the one that somebody looks for.
  const lines = memory.lines.filter(({ id }) => !hidden.includes(id)).reverse();
  return (
    <>
      <div className="settings-rows">
        <SwitchRow
          label={t("memorySwitch")}
          hint={t(enabled ? "memoryOn" : "memoryOff")}
          on={enabled}
          onSwitch={(on) => void change("PATCH", "", { enabled: on })}
        />
      </div>
      {(enabled || lines.length > 0) && <h4>{t("memoryLines")}</h4>}
      {enabled && <AddLine add={(text) => change("PATCH", "", { text })} />}
      {enabled && lines.length === 0 && <p className="hint">{t("memoryEmpty")}</p>}
      <ul className="settings-rows">
        {lines.map((line) => (
          <Line
            key={line.id}
            line={line}
            save={(text) => change("PATCH", `/${line.id}`, { text })}
            forget={() =>
              removeWithUndo({
                id: line.id,
                text: t("memoryForgotten"),
                path: `/me/memory/${line.id}`,
                refresh: () => setTurn((count) => count + 1),
              })
            }
          />
        ))}
      </ul>
      {lines.length > 0 && (
        <p className="choices">
          {sure && <span>{t("forgetAllSure")}</span>}
          <Button
            className="danger"
            onClick={() => {
              if (sure) void change("DELETE", "");
              setSure(!sure);
            }}
          >
            {t("forgetAll")}
          </Button>
          {sure && <Button onClick={() => setSure(false)}>{t("cancel")}</Button>}
        </p>
      )}
    </>
  );
}

function Line(props: { line: Memory; save(text: string): Promise<boolean>; forget(): void }) {
  const { line, save, forget } = props;
  const [editing, setEditing] = useState<boolean>();
  if (editing)
    return (
      <li>
        <form
          className="choices memory-edit"
          onSubmit={(event) => void submitted(event, save).then((saved) => saved && setEditing(false))}
        >
          <textarea
            aria-label={t("memoryLine")}
            name="text"
            required
            rows={Math.min(6, Math.ceil(line.text.length / 50))}
            maxLength={MAX_CHARACTERS}
            defaultValue={line.text}
            dir="auto"
            autoFocus
            onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
            onKeyDown={(event) => {
              if (event.key === "Enter") {
                event.preventDefault();
                event.currentTarget.form?.requestSubmit();
              }
              if (event.key !== "Escape") return;
              event.stopPropagation();
              setEditing(false);
            }}
          />
          <button type="submit" className="primary">
            {t("save")}
          </button>
          <Button onClick={() => setEditing(false)}>{t("cancel")}</Button>
        </form>
      </li>
    );
  return (
    <li>
      <span className="grow">
        <span dir="auto">{line.text}</span>
        <Origin line={line} />
      </span>
      <IconButton
        icon="edit"
        label={t("memoryEdit", { text: line.text })}
        // The field that was just closed had the focus.
        autoFocus={editing === false}
        onClick={() => setEditing(true)}
      />
      <IconButton icon="trash" label={t("memoryForget", { text: line.text })} onClick={forget} />
    </li>
  );
}

/** The conversation and the day that a line comes from. */
function Origin({ line: { sessionId, session = "", updatedAt } }: { line: Memory }) {
  const day = dayText(updatedAt);
  if (sessionId === undefined) return <small>{t("memoryOwn", { day })}</small>;
  return (
    <small>
      <a href={`#/s/${encodeURIComponent(sessionId)}`} dir="auto">
        {t("memoryFrom", { title: session, day })}
      </a>
    </small>
  );
}

function AddLine({ add }: { add(text: string): Promise<boolean> }) {
  return (
    <form className="choices memory-edit" onSubmit={(event) => void submitted(event, add)}>
      <ShortField label={t("memoryAdd")} name="text" required maxLength={MAX_CHARACTERS} autoComplete="off" />
      <button type="submit">{t("memoryAddButton")}</button>
    </form>
  );
}

/** Sends the text of a form, and empties it. */
async function submitted(
  event: FormEvent<HTMLFormElement>,
  send: (text: string) => Promise<boolean>,
): Promise<boolean> {
  event.preventDefault();
  const form = event.currentTarget;
  const sent = await send(String(new FormData(form).get("text") ?? ""));
  if (sent) form.reset();
  return sent;
}
