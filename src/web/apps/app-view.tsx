import "../style/apps.css";
import { useEffect, useRef, useState } from "react";
import type { AppCall, ShownApp } from "../../protocol/apps.ts";
import type { ToolCallState } from "../../protocol/reduce.ts";
import { visibleText } from "../../protocol/visible-text.ts";
import { Frame } from "../artifact/frame.tsx";
import type { FrameMessage } from "../artifact/frame-message.ts";
import { summaryOf } from "../chat/tool-summary.ts";
import { appContexts, forgetAppContext } from "../state/app-contexts.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/apps.ts";
import { duration } from "../text/t.ts";
import { Alert } from "../ui/alert.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { useLoaded } from "../ui/loaded.ts";
import { AppRequests } from "./app-requests.tsx";
import { useApp } from "./use-app.ts";

interface Props {
  call: ToolCallState;
  app: NonNullable<ToolCallState["app"]>;
  runId: string;
  /** The call is over. */
  ended: boolean;
}

/** The interface of a tool, in its frame, with what it did and wants to do. */
export function AppView(props: Props) {
  const { call, app, runId, ended } = props;
  const path = `/runs/${encodeURIComponent(runId)}/apps/${encodeURIComponent(call.toolCallId)}`;
  const shown = useLoaded(`${path} ${ended}`, () => ask<ShownApp>("GET", path), { keep: true });
  const card = useRef<HTMLElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [silent, setSilent] = useState(false);
  const [attempt, setAttempt] = useState(0);
  // Later calls are known here.
  const [openedAt] = useState(() => new Date().toISOString());
  const state = useApp(props, shown, frame);
  const { mode, setMode, stopped } = state;
  const full = mode === "fullscreen";
  const { server } = app;
  useFullscreen(card, full, () => setMode("inline"));
  useEffect(() => () => forgetAppContext(call.toolCallId), [call.toolCallId]);

  function receive(message: FrameMessage): void {
    if (message.type === "link") state.askToOpen(message.url);
    if (message.type === "error") state.addLine(message.message);
    if (message.type === "console" && message.level !== "debug") state.addLine(message.text);
  }

  async function restart(): Promise<void> {
    if (!stopped) await state.stop();
    setSilent(false);
    setAttempt(attempt + 1);
    state.start();
  }

  if (!shown) return <p className="hint">{t("loading")}</p>;
  if (shown.pageUrl === undefined) return <p className="hint">{t("appGone")}</p>;
  return (
    <section ref={card} className="mcp-app" data-border={shown.border !== false} data-full={full}>
      <header className="app-head">
        <span className="app-name">{t("appName", { server })}</span>
        <IconButton icon="retry" label={t("restart")} onClick={restart} />
        {!stopped && <IconButton icon="stop" label={t("stopApp")} onClick={state.stop} />}
        <Button className="link" onClick={() => setMode(full ? "inline" : "fullscreen")}>
          {t(full ? "leaveFullscreen" : "fullscreen")}
        </Button>
      </header>
      <div className="app-frame" style={full ? undefined : { height: state.height }}>
        {stopped ? (
          <p className="status-line">{t("stopped")}</p>
        ) : (
          <Frame
            key={attempt}
            element={frame}
            title={t("appName", { server })}
            previewUrl={shown.pageUrl}
            compiledUrl={undefined}
            onMessage={receive}
            onData={state.receive}
            onSilence={setSilent}
          />
        )}
      </div>
      {silent && !stopped && (
        <Alert>
          <p>{t("appSilent")}</p>
          <Button onClick={state.stop}>{t("stopApp")}</Button>
        </Alert>
      )}
      <AppRequests requests={state.requests} server={server} />
      <Told server={server} toolCallId={call.toolCallId} />
      {shown.refusedDomains.length > 0 && (
        <p className="hint">{t("appOffline", { domains: visibleText(shown.refusedDomains.join(", ")) })}</p>
      )}
      <Calls calls={[...shown.calls.filter(({ at }) => at < openedAt), ...state.calls]} />
      {state.lines.length > 0 && (
        <details>
          <summary>
            {t("console")} ({state.lines.length})
          </summary>
          <pre className="output">{visibleText(state.lines.join("\n"))}</pre>
        </details>
      )}
    </section>
  );
}

/** The calls that the app made, each with how it ended. */
function Calls({ calls }: { calls: readonly AppCall[] }) {
  if (calls.length === 0) return null;
  return (
    <details className="app-calls">
      <summary>{t("appCalls", { count: calls.length })}</summary>
      <ol>
        {calls.map(({ name, arguments: args, at, success, latencyMs, error }, index) => (
          <li key={`${at} ${index}`} data-status={success ? "succeeded" : "failed"}>
            <span className="dot" />
            <span className="step-name">{visibleText(name)}</span>
            <span className="step-gist">{error ?? summaryOf(args)}</span>
            <span className="step-time">{duration(latencyMs)}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** What the app tells the model with the person's next message, who may not want that. */
function Told({ server, toolCallId }: { server: string; toolCallId: string }) {
  const told = appContexts((all) => all[toolCallId]);
  if (!told || told.sent) return null;
  return (
    <details className="app-told">
      <summary>{t("appContext", { server })}</summary>
      <pre className="output">{visibleText(told.text)}</pre>
      <Button className="link" onClick={() => forgetAppContext(toolCallId)}>
        {t("dismiss")}
      </Button>
    </details>
  );
}

/** Shows the card above everything else, without moving it: a frame that moves loads again. */
function useFullscreen(card: React.RefObject<HTMLElement | null>, full: boolean, leave: () => void): void {
  const leaving = useRef(leave);
  leaving.current = leave;
  useEffect(() => {
    const element = card.current;
    if (!full || !element) return;
    element.popover = "manual";
    element.showPopover();
    const onKey = ({ key }: KeyboardEvent) => key === "Escape" && leaving.current();
    addEventListener("keydown", onKey);
    return () => {
      removeEventListener("keydown", onKey);
      element.hidePopover();
      element.popover = null;
    };
  }, [full, card]);
}
