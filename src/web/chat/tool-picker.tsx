import { useState } from "react";
import { conversation } from "../state/conversation.ts";
import { person } from "../state/person.ts";
import { chooseToolsOff, useToolsOff } from "../state/tool-choice.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";

/** Shows how many tools are on and opens the list. */
export function ToolPicker() {
  const [open, setOpen] = useState(false);
  const tools = person((state) => state.tools);
  const off = useToolsOff();
  const on = tools.filter(({ name }) => !off.includes(name)).length;
  if (tools.length === 0) return null;
  return (
    <>
      <Button
        className="quiet tool-picker"
        data-part="tool-picker"
        onClick={() => setOpen(true)}
        aria-label={t("toolsCount", { on, all: tools.length })}
        title={t("tools")}
      >
        <Icon name="tools" size="small" />
        <span>{t("tools")}</span>
        {on < tools.length && <span className="some-off" />}
      </Button>
      {open && <ToolDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function ToolDialog({ onClose }: { onClose(): void }) {
  const tools = person((state) => state.tools);
  const off = useToolsOff();
  const isNew = conversation((state) => state.sessionId === undefined);
  const toggle = (name: string) =>
    chooseToolsOff(off.includes(name) ? off.filter((other) => other !== name) : [...off, name]);
  return (
    <Dialog title={t("tools")} onClose={onClose}>
      <p className="hint">{t(isNew ? "toolsHintNew" : "toolsHint")}</p>
      <p className="choices">
        <Button onClick={() => chooseToolsOff([])}>{t("allTools")}</Button>
        <Button onClick={() => chooseToolsOff(tools.map(({ name }) => name))}>{t("noTools")}</Button>
      </p>
      <ul className="tool-list">
        {tools.map(({ name, description, effect, source }) => (
          <li key={name}>
            <label>
              <input type="checkbox" checked={!off.includes(name)} onChange={() => toggle(name)} />
              <span>
                <strong>{name}</strong> <span className="tag">{effect}</span>
                {source !== "built-in" && <span className="tag">{source}</span>}
                <span className="hint">{description.split("\n")[0]}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
