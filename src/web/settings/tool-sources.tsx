import "../style/choosing.css";
import { useEffect, useState } from "react";
import type { ToolSource } from "../../protocol/added-tools.ts";
import { refreshModelsAndTools } from "../state/person.ts";
import { t } from "../text/choosing.ts";
import { useRoute } from "../ui/loaded.ts";
import type { MenuItem } from "../ui/menu.tsx";
import { AddChip } from "./add-chip.tsx";
import { SignInState, signInAction, useSignIns } from "./service-sign-in.tsx";
import { type Adding, SourceForm } from "./source-form.tsx";
import { SourceRow } from "./source-row.tsx";

/** While a service connects, the page looks again how far it is. */
const LOOK_AGAIN_MS = 3_000;

/** Connected services whose tools are offered: add, try, pause and remove them. */
export function ToolSources() {
  const [turn, setTurn] = useState(0);
  const { sources: servers, commands = false } =
    useRoute<{ sources: ToolSource[]; commands: boolean }>("/admin/mcp", turn) ?? {};
  const documents = useRoute<{ sources: ToolSource[] }>("/admin/openapi", turn)?.sources;
  const signIns = useSignIns(turn, refresh);
  const [adding, setAdding] = useState<Adding>();
  const [editing, setEditing] = useState<string>();
  const all = [
    ...(servers ?? []).map((source) => ({ source, route: "/admin/mcp" as const })),
    ...(documents ?? []).map((source) => ({ source, route: "/admin/openapi" as const })),
  ];

  const isStarting = all.some(({ source }) => source.state === "starting");
  useEffect(() => {
    if (!isStarting) return;
    const timer = setTimeout(() => {
      setTurn(turn + 1);
      void refreshModelsAndTools();
    }, LOOK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isStarting, turn]);

  async function refresh(): Promise<void> {
    setTurn((before) => before + 1);
    await refreshModelsAndTools();
  }

  async function saved(): Promise<void> {
    setAdding(undefined);
    setEditing(undefined);
    await refresh();
  }

  return (
    <>
      <h4>{t("services")}</h4>
      {servers && all.length === 0 && <p className="hint">{t("noServices")}</p>}
      <ul className="settings-rows sources">
        {all.map(({ source, route }) => {
          const mine = route === "/admin/mcp" ? signIns?.find(({ name }) => name === source.name) : undefined;
          const key = `${route} ${source.name}`;
          const edit: MenuItem = { label: t("editPrompt"), icon: "edit", run: () => setEditing(key) };
          return (
            <SourceRow
              key={key}
              source={source}
              route={route}
              label={source.name}
              place={placeOf(source)}
              actions={[
                ...(mine?.authorized ? [signInAction(mine, refresh)] : []),
                ...(source.from === "added" ? [edit] : []),
              ]}
              hint={mine?.authorizeUrl && t("signInNeeded")}
              state={mine && source.state !== "paused" && <SignInState service={mine} />}
              canPause={source.from === "added"}
              testLabel={t("testAgain")}
              onChanged={refresh}
            >
              {editing === key && (
                <SourceForm
                  kind={kindOf(route, source)}
                  source={source}
                  onSaved={saved}
                  onCancel={() => setEditing(undefined)}
                />
              )}
            </SourceRow>
          );
        })}
      </ul>
      {adding ? (
        <SourceForm kind={adding} onSaved={saved} onCancel={() => setAdding(undefined)} />
      ) : (
        <p className="vendor-chips">
          <AddChip label={t("addServer")} onClick={() => setAdding("server")} />
          <AddChip label={t("addDocument")} onClick={() => setAdding("document")} />
          {commands && <AddChip label={t("addCommand")} onClick={() => setAdding("command")} />}
        </p>
      )}
      {servers && !commands && <p className="hint">{t("noCommands")}</p>}
    </>
  );
}

function kindOf(route: "/admin/mcp" | "/admin/openapi", { command }: ToolSource): Adding {
  if (route === "/admin/openapi") return "document";
  return command === undefined ? "server" : "command";
}

function placeOf({ from, command, args = [], url }: ToolSource): string | undefined {
  if (from === "file") return t("fromFile");
  return command === undefined ? url : [command, ...args].join(" ");
}
