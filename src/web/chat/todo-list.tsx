import type { TodoItem } from "../../protocol/events.ts";
import type { TextKey } from "../text/english.ts";
import { t } from "../text/t.ts";

const STATES: Record<TodoItem["state"], TextKey> = { open: "todoOpen", doing: "todoDoing", done: "todoDone" };

const MARKS: Record<TodoItem["state"], string> = { open: "☐", doing: "▸", done: "☑" };

/** The model's list of what it has to do. */
export function TodoList({ items }: { items: readonly TodoItem[] }) {
  if (items.length === 0) return null;
  return (
    <ol className="todo" aria-label={t("todo")}>
      {items.map(({ text, state }, index) => (
        <li key={index} data-state={state}>
          <span role="img" aria-label={t(STATES[state])}>
            {MARKS[state]}
          </span>
          {text}
        </li>
      ))}
    </ol>
  );
}
