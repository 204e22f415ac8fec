import "../style/choosing.css";
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from "react";
import { goToSettings } from "../shell/address.ts";
import { conversation } from "../state/conversation.ts";
import { person } from "../state/person.ts";
import { chat } from "../state/server.ts";
import { chooseToolsOff, useToolsOff } from "../state/tool-choice.ts";
import { t } from "../text/choosing.ts";
import { Button } from "../ui/button.tsx";
import { Floating } from "../ui/floating.tsx";
import { movedBy } from "../ui/list-keys.ts";
import { useLoaded } from "../ui/loaded.ts";
import { type ToolGroup, toolGroups } from "./tool-groups.ts";

interface Props {
  anchor: RefObject<HTMLElement | null>;
  /** `back` if the focus returns to the button. */
  onClose(back: boolean): void;
}

/** A switch for each group of tools. Arrows move, Space switches. */
export function ToolList({ anchor, onClose }: Props) {
  const tools = person((state) => state.tools);
  const off = useToolsOff();
  const isNew = conversation((state) => state.sessionId === undefined);
  const list = useRef<HTMLDivElement>(null);
  const folders = useLoaded("workspace", () => chat.workspace())?.folders;
  const groups = toolGroups(tools, folders);
  const needsKey = groups.length > 0 && !tools.some(({ name }) => name === "generate_image");
  const heading = t(isNew ? "toolsForNew" : "toolsForConversation");

  // biome-ignore lint/correctness/useExhaustiveDependencies: only once, as it appears
  useLayoutEffect(() => {
    const active = document.activeElement;
    // While this was loading, the person continued with something else.
    if (active && active !== document.body && active !== anchor.current) onClose(false);
    else list.current?.querySelector<HTMLElement>("button")?.focus();
  }, []);

  function toggle({ tools: names }: ToolGroup, on: boolean): void {
    chooseToolsOff(
      on
        ? [...off.filter((name) => !names.includes(name)), ...names]
        : off.filter((name) => !names.includes(name)),
    );
  }

  function onKeyDown(event: KeyboardEvent): void {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>("button") ?? [])];
    const moved = movedBy(event.key, rows.indexOf(document.activeElement as HTMLElement), rows.length);
    if (moved !== undefined) rows[moved]?.focus();
    else if (event.key === "Escape") onClose(true);
    else {
      if (event.key === "Tab") onClose(false);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <Floating
      anchor={anchor}
      heading={heading}
      onClose={() => onClose(false)}
      onKeyDown={onKeyDown}
      role="dialog"
      aria-label={heading}
    >
      <div ref={list} className="tool-groups">
        {groups.map((group) => {
          const on = group.tools.some((name) => !off.includes(name));
          return (
            <Button
              key={group.name}
              role="switch"
              aria-checked={on}
              className="tool-group"
              onClick={() => toggle(group, on)}
            >
              <span className="entry">
                {group.name}
                <span className="entry-hint">{group.hint}</span>
              </span>
              <span className="group-switch" />
            </Button>
          );
        })}
        {needsKey && (
          <Button
            className="tool-group"
            onClick={() => {
              onClose(false);
              goToSettings("keys");
            }}
          >
            <span className="entry">
              {t("groupImages")}
              <span className="entry-hint">{t("needsKey")}</span>
            </span>
          </Button>
        )}
      </div>
    </Floating>
  );
}
