import { type KeyboardEvent, useEffect, useId, useState } from "react";
import type { ToolCallState } from "../../protocol/reduce.ts";
import { saveFile } from "../shell/download.ts";
import { useCall } from "../state/artifacts.ts";
import { notify, notifyFailure } from "../state/notices.ts";
import { type ArtifactVersion, ask } from "../state/server.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Select } from "../ui/select.tsx";
import { panelOf, Tabs } from "../ui/tabs.tsx";
import { cardIdOf } from "./card.tsx";
import { Changes } from "./changes.tsx";
import { CodeView } from "./code-view.tsx";
import { fileNameOf } from "./names.ts";
import { Preview } from "./preview.tsx";

type Tab = "preview" | "code" | "changes";
const TABS: readonly Tab[] = ["preview", "code", "changes"];

/** The open artifact, beside the chat. */
export function ArtifactPanel() {
  const open = view((state) => state.artifact);
  const call = useCall(open?.toolCallId);
  if (!open || !call) return null;
  return <Panel key={open.toolCallId} call={call} />;
}

function Panel({ call }: { call: ToolCallState }) {
  const [tab, setTab] = useState<Tab>("preview");
  const [versions, setVersions] = useState<ArtifactVersion[]>([]);
  const [chosen, setChosen] = useState<number>();
  const [full, setFull] = useState(false);
  const tabsId = useId();
  const { artifact } = call;
  const id = artifact?.artifactId;
  const complete = artifact?.complete === true;

  useEffect(() => {
    if (id === undefined || !complete) return;
    ask<{ versions: ArtifactVersion[] }>("GET", `/artifacts/${encodeURIComponent(id)}/versions`)
      .then((answer) => setVersions(answer.versions.toSorted((a, b) => a.version - b.version)))
      .catch(notifyFailure);
  }, [id, complete]);

  const version = chosen ?? artifact?.version;
  const other = versions.find((one) => one.version === version);
  const code = other?.code ?? artifact?.code ?? "";
  const type = other?.type ?? artifact?.artifactType ?? "code";
  const title = other?.title ?? artifact?.title ?? t("artifact");
  const previewUrl = other?.previewUrl ?? artifact?.previewUrl;
  const base = id === undefined ? undefined : `/artifacts/${encodeURIComponent(id)}`;
  const isOld = version !== undefined && version < (versions.at(-1)?.version ?? 0);

  function showSaved(saved: ArtifactVersion): void {
    setVersions((all) => [...all, saved]);
    setChosen(saved.version);
    notify({ text: t("versionSaved", { version: saved.version }) });
  }

  function restore(): void {
    ask<ArtifactVersion>("POST", `${base}/versions/${version}/restore`).then(showSaved).catch(notifyFailure);
  }

  function close(): void {
    view.setState({ artifact: undefined });
    document.getElementById(cardIdOf(call.toolCallId))?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !full) return;
    event.preventDefault();
    setFull(false);
  }

  return (
    <aside
      className="artifact-panel"
      data-part="panel"
      data-full={full}
      aria-label={title}
      onKeyDown={onKeyDown}
    >
      <header>
        <h2>{title}</h2>
        {versions.length > 1 && <VersionChoice versions={versions} chosen={version} onChoose={setChosen} />}
        {isOld && (
          <Button className="small" onClick={restore}>
            {t("restoreVersion")}
          </Button>
        )}
        <span className="grow" />
        <CopyButton text={code} label={t("copyCode")} />
        <IconButton
          icon="download"
          label={t("download")}
          onClick={() => saveFile(fileNameOf(title, type, artifact?.language), code, "text/plain")}
        />
        {previewUrl !== undefined && <OpenAlone previewUrl={previewUrl} />}
        <IconButton
          icon="full"
          label={t("fullScreen")}
          onClick={() => setFull(!full)}
          aria-pressed={full}
          title={t(full ? "leaveFullScreen" : "fullScreen")}
        />
        <IconButton icon="close" label={t("close")} onClick={close} />
      </header>
      <Tabs<Tab>
        id={tabsId}
        label={title}
        tabs={TABS.map((name) => ({ name, title: t(name) }))}
        chosen={tab}
        onChoose={setTab}
      />
      {/* The frame stays in the other tabs, so the artifact keeps running. */}
      <div className="pane" {...panelOf(tabsId, "preview")} hidden={tab !== "preview"}>
        <Preview
          // The frame that waited for the artifact shows it. Another version gets another frame.
          key={chosen ?? "made"}
          id={id}
          title={title}
          previewUrl={complete ? previewUrl : undefined}
          compiledUrl={type === "react" && base ? `${base}/compiled?version=${version}` : undefined}
        />
      </div>
      <div className="pane" {...panelOf(tabsId, "code")} hidden={tab !== "code"}>
        {tab === "code" && (
          <CodeView
            code={code}
            type={type}
            editable={complete && base !== undefined}
            onSave={async (text) =>
              showSaved(await ask<ArtifactVersion>("POST", `${base}/versions`, { code: text }))
            }
          />
        )}
      </div>
      <div className="pane" {...panelOf(tabsId, "changes")} hidden={tab !== "changes"}>
        {tab === "changes" && (version ?? 1) < 2 && <p className="status-line">{t("noChanges")}</p>}
        {tab === "changes" && base && version && version > 1 && <Changes base={base} version={version} />}
      </div>
    </aside>
  );
}

interface VersionChoiceProps {
  versions: readonly ArtifactVersion[];
  chosen: number | undefined;
  onChoose(version: number): void;
}

function VersionChoice({ versions, chosen, onChoose }: VersionChoiceProps) {
  const options = versions.map(({ version }) => ({ value: version, text: t("version", { version }) }));
  return (
    <Select<number>
      aria-label={t("version", { version: "" })}
      value={chosen}
      options={options}
      onChoose={onChoose}
    />
  );
}

function OpenAlone({ previewUrl }: { previewUrl: string }) {
  return (
    <a
      className="quiet"
      // In its own tab, a page around the artifact keeps it from navigating away.
      href={previewUrl.replace("/preview?", "/view?")}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={t("openAlone")}
      title={t("openAlone")}
    >
      <Icon name="outside" />
    </a>
  );
}
