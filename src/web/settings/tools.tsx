import { useState } from "react";
import { reachText } from "../administration/reach-words.ts";
import { mayAdminister, person, refreshModelsAndTools } from "../state/person.ts";
import { readiness } from "../state/server.ts";
import { t } from "../text/settings.ts";
import { useLoaded } from "../ui/loaded.ts";
import { AlwaysList } from "./always-list.tsx";
import { OwnTools } from "./own-tools.tsx";
import { Rules } from "./rules.tsx";
import { ServiceSignIns } from "./service-sign-in.tsx";
import { ToolSources } from "./tool-sources.tsx";

/** Services, folders, and what may run without asking. */
export function ToolsSettings() {
  const [turn, setTurn] = useState(0);
  if (!mayAdminister(person((state) => state.me)))
    return (
      <>
        <p className="hint">{t("toolsByAdministrator")}</p>
        <ServiceSignIns
          turn={turn}
          changed={async () => {
            setTurn((before) => before + 1);
            await refreshModelsAndTools();
          }}
        />
        <AlwaysList />
      </>
    );
  return (
    <>
      <ToolSources />
      <OwnTools />
      <AlwaysList />
      <Rules />
      <Connections />
    </>
  );
}

/** Whether the services that the operator has configured can be reached. */
function Connections() {
  const found = useLoaded("connections", readiness);
  return (
    <>
      <h4>{t("connections")}</h4>
      {found === undefined && <p className="hint">{t("loading")}</p>}
      <ul className="connections">
        {Object.entries(found?.checks ?? {})
          .filter(([name]) => name !== "model")
          .map(([name, said]) => (
            <li key={name}>
              {said === "ok" ? "✓" : "✗"} <b>{name === "store" ? t("database") : name}</b>{" "}
              <span className={said === "ok" ? "hint" : "connection-problem"}>{reachText(said)}</span>
              {said !== "ok" && (
                <details>
                  <summary>{t("details")}</summary>
                  <span className="hint">{said}</span>
                </details>
              )}
            </li>
          ))}
      </ul>
    </>
  );
}
