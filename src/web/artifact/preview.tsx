import { useState } from "react";
import { safeLink } from "../markdown/links.ts";
import { askQuestion } from "../state/questions.ts";
import { t } from "../text/t.ts";
import { Alert } from "../ui/alert.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Frame } from "./frame.tsx";
import type { FrameMessage } from "./frame-message.ts";

const MAX_MESSAGES = 100;
const MAX_REPORTED = 5;

interface Props {
  id: string | undefined;
  title: string;
  previewUrl: string | undefined;
  compiledUrl: string | undefined;
}

/** The running artifact with its console, and buttons to stop, restart and fix it. */
export function Preview({ id, title, previewUrl, compiledUrl }: Props) {
  const [messages, setMessages] = useState<FrameMessage[]>([]);
  const [blocked, setBlocked] = useState<FrameMessage>();
  const [silent, setSilent] = useState(false);
  const [stopped, setStopped] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const errors = messages.flatMap((message) => (message.type === "error" ? [message.message] : []));
  const lines = messages.flatMap((message) => (message.type === "console" ? [message] : []));

  function receive(message: FrameMessage): void {
    if (message.type === "link" || message.type === "form") setBlocked(message);
    if (message.type === "error" || message.type === "console")
      setMessages((all) => (all.length >= MAX_MESSAGES ? all : [...all, message]));
  }

  function stop(): void {
    setSilent(false);
    setStopped(true);
  }

  function restart(): void {
    setMessages([]);
    setBlocked(undefined);
    setSilent(false);
    setStopped(false);
    setAttempt(attempt + 1);
  }

  function fix(): void {
    const shown = lines.filter(({ level }) => level === "error").map(({ text }) => text);
    const error = [...new Set([...errors, ...shown])].slice(0, MAX_REPORTED).join("\n");
    void askQuestion({ text: t("fixRequest", { title, id: id ?? "", error }) });
  }

  return (
    <>
      {stopped ? (
        <p className="status-line">{t("stopped")}</p>
      ) : (
        <Frame
          key={attempt}
          title={title}
          previewUrl={previewUrl}
          compiledUrl={compiledUrl}
          onMessage={receive}
          onSilence={setSilent}
        />
      )}
      {silent && !stopped && (
        <Alert>
          <p>{t("frameSilent")}</p>
          <Button onClick={stop}>{t("stopFrame")}</Button>
          <Button onClick={restart}>{t("restart")}</Button>
        </Alert>
      )}
      {errors.length > 0 && (
        <Alert>
          <p>{errors[0]}</p>
          <Button onClick={fix}>{t("fix")}</Button>
        </Alert>
      )}
      {blocked && <Blocked action={blocked} onClose={() => setBlocked(undefined)} />}
      <div className="pane-foot">
        <Button className="link" onClick={restart}>
          <Icon name="retry" /> {t("restart")}
        </Button>
        {!stopped && (
          <Button className="link" onClick={stop}>
            <Icon name="stop" /> {t("stopFrame")}
          </Button>
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

/** Shows what the person did in the frame that a frame may not do: follow a link out of it, or submit a form. */
function Blocked({ action, onClose }: { action: FrameMessage; onClose(): void }) {
  const href = action.type === "link" ? safeLink(action.url) : undefined;
  if (action.type === "link" && href === undefined) return null;
  return (
    <div className="frame-wish" role="status">
      <span>{href === undefined ? t("frameForm") : t("frameLink", { url: href })}</span>
      {href !== undefined && (
        <a className="link" href={href} target="_blank" rel="noopener noreferrer nofollow" onClick={onClose}>
          {t("openLink")}
        </a>
      )}
      <IconButton icon="close" label={t("close")} onClick={onClose} />
    </div>
  );
}
