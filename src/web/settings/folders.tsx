import { useState } from "react";
import type { WorkspaceListing } from "../../protocol/workspace.ts";
import { attempt } from "../state/notices.ts";
import { chat } from "../state/server.ts";
import { t } from "../text/settings.ts";
import { Button } from "../ui/button.tsx";
import { useLoaded } from "../ui/loaded.ts";

/** The folders that files and commands may use, and whether what they say is used: that can be decided again here. */
export function Folders() {
  const loaded = useLoaded("workspace", () => chat.workspace());
  const [decided, setDecided] = useState<WorkspaceListing>();
  const found = decided ?? loaded;
  if (!found) return null;
  const { folders, hash, trusted } = found;
  const decide = () => attempt(async () => setDecided(await chat.trustWorkspace(hash, !trusted)));
  return (
    <section data-part="folders">
      <h4>{t("folders")}</h4>
      {folders.length === 0 && <p className="hint">{t("noFolders")}</p>}
      <ul className="settings-rows">
        {folders.map((folder) => (
          <li key={folder}>
            <span className="grow">
              <bdi dir="ltr">{folder}</bdi>
            </span>
          </li>
        ))}
        {hash !== undefined && (
          <li>
            <div className="grow prompt-row">
              <b>{t("folderTexts")}</b>
              <small>{t(trusted ? "folderTextsUsed" : "folderTextsUnused")}</small>
              <FolderTexts found={found} />
            </div>
            <Button onClick={() => void decide()}>{t(trusted ? "distrustFolder" : "trustFolder")}</Button>
          </li>
        )}
      </ul>
    </section>
  );
}

function FolderTexts({ found: { instructions, skills } }: { found: WorkspaceListing }) {
  const isOfFolder = ({ source }: { source: string }) => source === "project";
  return (
    <details className="source-tools">
      <summary>{t("lookAtFolder")}</summary>
      {instructions.filter(isOfFolder).map(({ path, text }) => (
        <pre key={path} className="output" dir="auto">
          {path}
          {"\n\n"}
          {text}
        </pre>
      ))}
      <ul>
        {skills.filter(isOfFolder).map(({ name, description }) => (
          <li key={name}>
            <b>/{name}</b> · {description}
          </li>
        ))}
      </ul>
    </details>
  );
}
