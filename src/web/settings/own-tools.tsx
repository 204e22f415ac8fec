import { useState } from "react";
import type { ToolSource } from "../../protocol/added-tools.ts";
import { spelledOut } from "../chat/step-words.ts";
import { refreshModelsAndTools } from "../state/person.ts";
import { t } from "../text/choosing.ts";
import { useRoute } from "../ui/loaded.ts";
import type { MenuItem } from "../ui/menu.tsx";
import { AddChip } from "./add-chip.tsx";
import { CodeForm } from "./code-form.tsx";
import { SourceRow } from "./source-row.tsx";
import { ToolTrial } from "./tool-trial.tsx";

/** What is open below a row: its code, or a trial. */
type Open = { name: string; form: "code" | "trial" };

/** The tools that people wrote for this server: write, try, pause and remove them. */
export function OwnTools() {
  const [turn, setTurn] = useState(0);
  const [open, setOpen] = useState<Open | "new">();
  const { sources, commands = false } =
    useRoute<{ sources: ToolSource[]; commands: boolean }>("/admin/tools", turn) ?? {};
  if (!sources) return null;

  async function refresh(): Promise<void> {
    setTurn((before) => before + 1);
    await refreshModelsAndTools();
  }

  async function saved(): Promise<void> {
    setOpen(undefined);
    await refresh();
  }

  const close = () => setOpen(undefined);
  const formOf = (name: string) =>
    open !== undefined && open !== "new" && open.name === name ? open.form : undefined;
  return (
    <section data-part="own-tools">
      <h4>{t("groupOwn")}</h4>
      {sources.length === 0 && <p className="hint">{t("noOwnTools")}</p>}
      <ul className="settings-rows sources">
        {sources.map((source) => (
          <SourceRow
            key={source.name}
            source={source}
            route="/admin/tools"
            label={spelledOut(source.name)}
            place={t(source.from === "file" ? "ownFromFile" : "ownAdded")}
            actions={actionsFor(source, commands, setOpen)}
            canPause
            testLabel={t("loadAgain")}
            onChanged={refresh}
          >
            {formOf(source.name) === "code" && <CodeForm source={source} onSaved={saved} onCancel={close} />}
            {formOf(source.name) === "trial" && <ToolTrial source={source} onClose={close} />}
          </SourceRow>
        ))}
      </ul>
      {open === "new" ? (
        <CodeForm onSaved={saved} onCancel={close} />
      ) : (
        commands && (
          <p className="vendor-chips">
            <AddChip label={t("addTool")} onClick={() => setOpen("new")} />
          </p>
        )
      )}
    </section>
  );
}

function actionsFor(
  { name, tools, code }: ToolSource,
  canWrite: boolean,
  open: (what: Open) => void,
): MenuItem[] {
  const trial: MenuItem = { label: t("tryTool"), icon: "play", run: () => open({ name, form: "trial" }) };
  const edit: MenuItem = { label: t("editTool"), icon: "edit", run: () => open({ name, form: "code" }) };
  return [...(tools.length > 0 ? [trial] : []), ...(canWrite && code !== undefined ? [edit] : [])];
}
