import type { TodoItem } from "../../protocol/events.ts";
import type { TextKey } from "../text/english.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";

const STATES: Record<TodoItem["state"], TextKey> = { open: "todoOpen", doing: "todoDoing", done: "todoDone" };

/** The model's list of what it has to do. */
export function TodoList({ items }: { items: readonly TodoItem[] }) {
  if (items.length === 0) return null;
  return (
    <ol className="todo" aria-label={t("todo")}>
      {items.map(({ text, state }, index) => (
        <li key={index} data-state={state}>
          <span className="todo-mark" role="img" aria-label={t(STATES[state])}>
            {state === "done" && <Icon name="check" size="tiny" />}
          </span>
          {text}
        </li>
      ))}
    </ol>
  );
}
