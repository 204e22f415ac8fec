import "../style/choosing.css";
import { useState } from "react";
import type { ToolSource } from "../../protocol/added-tools.ts";
import { refreshModelsAndTools } from "../state/person.ts";
import { t } from "../text/choosing.ts";
import { useRoute } from "../ui/loaded.ts";
import { AddChip } from "./add-chip.tsx";
import { SignInState, signInAction, useSignIns } from "./service-sign-in.tsx";
import { type Adding, SourceForm } from "./source-form.tsx";
import { SourceRow } from "./source-row.tsx";

/** Connected services whose tools are offered: add, try, pause and remove them. */
export function ToolSources() {
  const [turn, setTurn] = useState(0);
  const { sources: servers, commands = false } =
    useRoute<{ sources: ToolSource[]; commands: boolean }>("/admin/mcp", turn) ?? {};
  const documents = useRoute<{ sources: ToolSource[] }>("/admin/openapi", turn)?.sources;
  const signIns = useSignIns(turn, changed);
  const [adding, setAdding] = useState<Adding>();
  const all = [
    ...(servers ?? []).map((source) => ({ source, route: "/admin/mcp" as const })),
    ...(documents ?? []).map((source) => ({ source, route: "/admin/openapi" as const })),
  ];

  async function changed(): Promise<void> {
    setAdding(undefined);
    setTurn((before) => before + 1);
    await refreshModelsAndTools();
  }

  return (
    <>
      <h4>{t("services")}</h4>
      {servers && all.length === 0 && <p className="hint">{t("noServices")}</p>}
      <ul className="settings-rows sources">
        {all.map(({ source, route }) => {
          const mine = route === "/admin/mcp" ? signIns?.find(({ name }) => name === source.name) : undefined;
          return (
            <SourceRow
              key={`${route} ${source.name}`}
              source={source}
              route={route}
              label={source.name}
              place={placeOf(source)}
              actions={mine?.authorized ? [signInAction(mine, changed)] : []}
              hint={mine?.authorizeUrl && t("signInNeeded")}
              state={mine && source.state !== "paused" && <SignInState service={mine} />}
              canPause={source.from === "added"}
              testLabel={t("testAgain")}
              onChanged={changed}
            />
          );
        })}
      </ul>
      {adding ? (
        <SourceForm kind={adding} onAdded={changed} onCancel={() => setAdding(undefined)} />
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

function placeOf({ from, command, args = [], url }: ToolSource): string | undefined {
  if (from === "file") return t("fromFile");
  return command === undefined ? url : [command, ...args].join(" ");
}
