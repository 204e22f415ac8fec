import { useEffect, useState } from "react";
import type { ToolCallState } from "../../protocol/reduce.ts";
import { saveFile } from "../shell/download.ts";
import { useCall } from "../state/artifacts.ts";
import { askQuestion } from "../state/asking.ts";
import { notifyFailure } from "../state/notices.ts";
import { type ArtifactVersion, ask } from "../state/server.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Changes } from "./changes.tsx";
import { CodeView } from "./code-view.tsx";
import { Frame } from "./frame.tsx";
import type { FrameMessage } from "./frame-message.ts";
import { fileNameOf } from "./names.ts";

type Tab = "preview" | "code" | "changes";
const TABS: readonly Tab[] = ["preview", "code", "changes"];
const MAX_MESSAGES = 100;

/** The artifact that is open, beside the chat. */
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
  const close = () => view.setState({ artifact: undefined });

  return (
    <aside className="artifact-panel" data-full={full} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {versions.length > 1 && (
          <select
            aria-label={t("version", { version: "" })}
            value={version}
            onChange={({ target }) => setChosen(Number(target.value))}
          >
            {versions.map((one) => (
              <option key={one.version} value={one.version}>
                {t("version", { version: one.version })}
              </option>
            ))}
          </select>
        )}
        <span className="grow" />
        <CopyButton text={code} label={t("copyCode")} />
        <button
          type="button"
          className="quiet"
          onClick={() => saveFile(fileNameOf(title, type, artifact?.language), code, "text/plain")}
          aria-label={t("download")}
          title={t("download")}
        >
          <Icon name="download" />
        </button>
        {previewUrl !== undefined && (
          <a
            className="quiet"
            href={previewUrl}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={t("openAlone")}
            title={t("openAlone")}
          >
            <Icon name="outside" />
          </a>
        )}
        <button
          type="button"
          className="quiet"
          onClick={() => setFull(!full)}
          aria-label={t(full ? "leaveFullScreen" : "fullScreen")}
          title={t(full ? "leaveFullScreen" : "fullScreen")}
        >
          <Icon name="full" />
        </button>
        <button type="button" className="quiet" onClick={close} aria-label={t("close")} title={t("close")}>
          <Icon name="close" />
        </button>
      </header>
      <div role="tablist" className="tabs" aria-label={title}>
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={tab === name}
            onClick={() => setTab(name)}
          >
            {t(name)}
          </button>
        ))}
      </div>
      {/* The frame stays while the code is looked at, so that what runs in it goes on. */}
      <div className="pane" role="tabpanel" aria-label={t("preview")} hidden={tab !== "preview"}>
        <Preview
          // The frame that waited for the artifact shows it; another version gets another frame.
          key={chosen ?? "made"}
          id={id}
          title={title}
          previewUrl={complete ? previewUrl : undefined}
          compiledUrl={type === "react" && base ? `${base}/compiled?version=${version}` : undefined}
        />
      </div>
      {tab === "code" && (
        <CodeView
          code={code}
          type={type}
          editable={complete && base !== undefined}
          onSave={async (text) => {
            const saved = await ask<ArtifactVersion>("POST", `${base}/versions`, { code: text });
            setVersions((all) => [...all, saved]);
            setChosen(saved.version);
          }}
        />
      )}
      {tab === "changes" && <Changes base={base} version={version ?? 1} />}
    </aside>
  );
}

interface PreviewProps {
  id: string | undefined;
  title: string;
  previewUrl: string | undefined;
  compiledUrl: string | undefined;
}

function Preview({ id, title, previewUrl, compiledUrl }: PreviewProps) {
  const [said, setSaid] = useState<FrameMessage[]>([]);
  const [stopped, setStopped] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const errors = said.flatMap((message) => (message.type === "error" ? [message.message] : []));
  const lines = said.flatMap((message) => (message.type === "console" ? [message] : []));
  const hear = (message: FrameMessage) => {
    if (message.type === "error" || message.type === "console")
      setSaid((all) => (all.length >= MAX_MESSAGES ? all : [...all, message]));
  };
  const again = () => {
    setSaid([]);
    setStopped(false);
    setAttempt(attempt + 1);
  };
  return (
    <>
      {stopped ? (
        <p className="status-line">{t("frameStopped")}</p>
      ) : (
        <Frame
          key={attempt}
          title={title}
          previewUrl={previewUrl}
          compiledUrl={compiledUrl}
          onMessage={hear}
        />
      )}
      {errors.length > 0 && (
        <div className="problem" role="alert">
          <Icon name="warning" />
          <p>{errors[0]}</p>
          <button
            type="button"
            onClick={() =>
              askQuestion({
                text: t("fixRequest", { title, id: id ?? "", error: errors.slice(0, 3).join("\n") }),
                attachments: [],
              })
            }
          >
            {t("fix")}
          </button>
        </div>
      )}
      <div className="pane-foot">
        <button type="button" className="link" onClick={again}>
          <Icon name="retry" /> {t("restart")}
        </button>
        {!stopped && (
          <button type="button" className="link" onClick={() => setStopped(true)}>
            <Icon name="stop" /> {t("stopFrame")}
          </button>
        )}
        {lines.length > 0 && (
          <details>
            <summary>
              {t("console")} ({lines.length})
            </summary>
            <ol className="console">
              {lines.map(({ level, text }, index) => (
                <li key={index} data-level={level}>
                  {text}
                </li>
              ))}
            </ol>
          </details>
        )}
      </div>
    </>
  );
}
