import { useState } from "react";
import { reachText } from "../administration/reach-words.ts";
import { mayAdminister, person, refreshModelsAndTools } from "../state/person.ts";
import { readiness } from "../state/server.ts";
import { t as stateOf } from "../text/choosing.ts";
import { t } from "../text/settings.ts";
import { useLoaded } from "../ui/loaded.ts";
import { AlwaysList } from "./always-list.tsx";
import { Folders } from "./folders.tsx";
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
      <Folders />
      <AlwaysList />
      <Rules />
      <Connections />
    </>
  );
}

/** Whether what the operator has configured can be reached. Services that were connected are above, models on their own page. */
function Connections() {
  const found = useLoaded("connections", readiness);
  return (
    <>
      <h4>{t("connections")}</h4>
      {found === undefined && <p className="hint">{t("loading")}</p>}
      <ul className="settings-rows sources connections">
        {Object.entries(found?.checks ?? {})
          .filter(([name]) => name !== "model" && !name.startsWith("MCP "))
          .map(([name, said]) => (
            <Connection key={name} name={name === "store" ? t("database") : name} said={said} />
          ))}
      </ul>
    </>
  );
}

function Connection({ name, said }: { name: string; said: string }) {
  if (said === "ok")
    return (
      <li>
        <b className="grow">{name}</b>
        <span className="works">{stateOf("stateReady")}</span>
      </li>
    );
  return (
    <li>
      <div className="grow prompt-row">
        <b>{name}</b>
        <small className="source-problem">{reachText(said)}</small>
        <details className="source-tools">
          <summary>{t("details")}</summary>
          <p>{said}</p>
        </details>
      </div>
      <span className="works-not">{stateOf("stateFailed")}</span>
    </li>
  );
}
