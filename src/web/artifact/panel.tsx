import "../style/panel.css";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import type { ToolCallState } from "../../protocol/reduce.ts";
import { closeArtifact } from "../state/artifacts.ts";
import { type ChosenPart, choosePart } from "../state/chosen-part.ts";
import { focusDraft } from "../state/draft.ts";
import { notify, notifyFailure } from "../state/notices.ts";
import { type ArtifactVersion, ask } from "../state/server.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { panelOf } from "../ui/tabs.tsx";
import { cardIdOf } from "./card.tsx";
import { CodeView } from "./code-view.tsx";
import { Compare } from "./compare.tsx";
import { Divider } from "./divider.tsx";
import { titleOf } from "./names.ts";
import { PanelBar, type Tab } from "./panel-bar.tsx";
import { Preview } from "./preview.tsx";

/** Other types are one picture or one text. */
const PICKABLE: readonly string[] = ["html", "react", "markdown"];

function restored(base: string | undefined, version: number | undefined): Promise<ArtifactVersion> {
  return ask("POST", `${base}/versions/${version}/restore`);
}

/** The open artifact, beside the chat. */
export function Panel({ call }: { call: ToolCallState }) {
  const [tab, setTab] = useState<Tab>("preview");
  const [chosen, setChosen] = useState<number>();
  const [full, setFull] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const [stopped, setStopped] = useState(false);
  const [console, setConsole] = useState(false);
  const [picking, setPicking] = useState(false);
  const tabsId = useId();
  const { artifact } = call;
  const id = artifact?.artifactId;
  const complete = artifact?.complete === true;
  const { versions, add } = useVersions(id, complete);

  const { version, code, type, title, previewUrl } = shownOf(call, versions, chosen);
  const base = id === undefined ? undefined : `/artifacts/${encodeURIComponent(id)}`;

  function showSaved(saved: ArtifactVersion): void {
    add(saved);
    setChosen(saved.version);
    notify({ text: t("versionSaved", { version: saved.version }) });
  }

  function restart(): void {
    setPicking(false);
    setStopped(false);
    setAttempt(attempt + 1);
  }

  function picked(html: string | undefined): void {
    setPicking(false);
    if (!html || id === undefined || version === undefined) return;
    setFull(false);
    writeAbout({ artifactId: id, title, version, html });
  }

  function close(): void {
    closeArtifact();
    document.getElementById(cardIdOf(call.toolCallId))?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    if (picking) setPicking(false);
    else if (full) setFull(false);
    else close();
  }

  const facts = { "data-part": "panel", "data-full": full, "aria-label": title };
  return (
    <aside className="artifact-panel" {...facts} onKeyDown={onKeyDown}>
      <Divider />
      <PanelBar
        title={title}
        file={{ code, type, language: artifact?.language }}
        versions={versions}
        version={version}
        onVersion={(one) => {
          setStopped(false);
          setPicking(false);
          setChosen(one);
        }}
        onRestore={() => void restored(base, version).then(showSaved).catch(notifyFailure)}
        tab={tab}
        tabsId={tabsId}
        onTab={(next) => {
          setPicking(false);
          setTab(next);
        }}
        previewUrl={previewUrl}
        full={full}
        onFull={() => setFull(!full)}
        stopped={stopped}
        onStop={() => setStopped(true)}
        onRestart={restart}
        onConsole={() => setConsole(!console)}
        picking={picking}
        onPick={complete && !stopped && PICKABLE.includes(type) ? () => setPicking(!picking) : undefined}
        onClose={close}
      />
      {/* The frame stays in the other tabs, so the artifact keeps running. */}
      <div className="pane" {...panelOf(tabsId, "preview")} hidden={tab !== "preview"}>
        {artifact === undefined && <Building />}
        <Preview
          // The frame that waited for the artifact shows it. Another version gets another frame.
          key={`${chosen ?? "made"} ${attempt}`}
          id={id}
          title={title}
          previewUrl={complete ? previewUrl : undefined}
          compiledUrl={type === "react" && base ? `${base}/compiled?version=${version}` : undefined}
          stopped={stopped}
          onStop={() => setStopped(true)}
          onRestart={restart}
          console={console}
          picking={picking}
          onPicked={picked}
        />
      </div>
      <div className="pane" {...panelOf(tabsId, "code")} hidden={tab !== "code"}>
        {tab === "code" && (
          <CodeView
            code={code}
            type={type}
            editable={complete && base !== undefined}
            next={(versions.at(-1)?.version ?? version ?? 0) + 1}
            onSave={async (text) =>
              showSaved(await ask<ArtifactVersion>("POST", `${base}/versions`, { code: text }))
            }
          />
        )}
      </div>
      <div className="pane" {...panelOf(tabsId, "compare")} hidden={tab !== "compare"}>
        {tab === "compare" && base && <Compare base={base} versions={versions} version={version ?? 1} />}
      </div>
    </aside>
  );
}

/** Says what is awaited while there is nothing to show. */
function Building() {
  return (
    <p className="pane-waits">
      <span className="ring" />
      {t("building")}
    </p>
  );
}

/** Lets the person write what to change. A panel that lies above the message field makes room for it. */
function writeAbout(part: ChosenPart): void {
  choosePart(part);
  if (matchMedia("(max-width: 1179px)").matches) view.setState({ artifact: undefined });
  focusDraft();
}

/** Returns the chosen version, or else the one that the call made. */
function shownOf(call: ToolCallState, versions: readonly ArtifactVersion[], chosen: number | undefined) {
  const { artifact: made } = call;
  const version = chosen ?? made?.version;
  const other = versions.find((one) => one.version === version);
  return {
    version,
    code: other?.code ?? made?.code ?? "",
    type: other?.type ?? made?.artifactType ?? "code",
    title: other?.title ?? titleOf(call),
    previewUrl: other?.previewUrl ?? made?.previewUrl,
  };
}

/** Loads all versions of an artifact, oldest first, as soon as it is complete. */
function useVersions(id: string | undefined, complete: boolean) {
  const [versions, setVersions] = useState<ArtifactVersion[]>([]);
  useEffect(() => {
    if (id === undefined || !complete) return;
    ask<{ versions: ArtifactVersion[] }>("GET", `/artifacts/${encodeURIComponent(id)}/versions`)
      .then((answer) => setVersions(answer.versions.toSorted((a, b) => a.version - b.version)))
      .catch(notifyFailure);
  }, [id, complete]);
  return { versions, add: (saved: ArtifactVersion) => setVersions((all) => [...all, saved]) };
}
