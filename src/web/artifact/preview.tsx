import { useState } from "react";
import { safeLink } from "../markdown/links.ts";
import { askQuestion } from "../state/questions.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { useDark } from "../ui/theme.ts";
import { Frame } from "./frame.tsx";
import type { FrameMessage } from "./frame-message.ts";

const MAX_MESSAGES = 100;
const MAX_REPORTED = 5;

interface Props {
  id: string | undefined;
  title: string;
  previewUrl: string | undefined;
  compiledUrl: string | undefined;
  stopped: boolean;
  onStop(): void;
  onRestart(): void;
  /** The console is shown. */
  console: boolean;
  /** The person points at a part to change. */
  picking: boolean;
  /** Called with the part that was chosen, or undefined if none was. */
  onPicked(html: string | undefined): void;
}

type ConsoleLine = Extract<FrameMessage, { type: "console" }>;

/** The running artifact, and below it one line where something is wrong. */
export function Preview(props: Props) {
  const { id, title, previewUrl, compiledUrl, stopped, onStop, onRestart } = props;
  const [messages, setMessages] = useState<FrameMessage[]>([]);
  const [blocked, setBlocked] = useState<FrameMessage>();
  const [silent, setSilent] = useState(false);
  const [details, setDetails] = useState(false);
  const dark = useDark();
  const errors = messages.flatMap((message) => (message.type === "error" ? [message.message] : []));
  const lines = messages.flatMap((message) => (message.type === "console" ? [message] : []));

  function receive(message: FrameMessage): void {
    // A page that says so unasked is not heard.
    if (props.picking && message.type === "picked") props.onPicked(message.html);
    if (props.picking && message.type === "unpicked") props.onPicked(undefined);
    if (message.type === "link" || message.type === "form") setBlocked(message);
    if (message.type === "error" || message.type === "console")
      setMessages((all) => (all.length >= MAX_MESSAGES ? all : [...all, message]));
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
          title={title}
          previewUrl={previewUrl}
          compiledUrl={compiledUrl}
          theme={dark ? "dark" : "light"}
          onMessage={receive}
          onSilence={setSilent}
          picking={props.picking}
        />
      )}
      {props.picking && (
        <div className="frame-line frame-request" role="status">
          <span>{t("pickHint")}</span>
          <IconButton icon="close" label={t("close")} onClick={() => props.onPicked(undefined)} />
        </div>
      )}
      {(props.console || details) && <Console lines={lines} />}
      {blocked && <Blocked action={blocked} onClose={() => setBlocked(undefined)} />}
      {silent && !stopped ? (
        <div className="frame-line" role="alert">
          <Icon name="warning" size="small" />
          <span>{t("frameSilent")}</span>
          <Button className="small" onClick={onRestart}>
            {t("restart")}
          </Button>
          <Button className="small" onClick={onStop}>
            {t("stopFrame")}
          </Button>
        </div>
      ) : (
        errors.length > 0 && (
          <div className="frame-line" role="alert">
            <Icon name="warning" size="small" />
            <span>{t("frameError", { error: errors[0] ?? "" })}</span>
            <Button className="quiet" aria-expanded={details} onClick={() => setDetails(!details)}>
              {t("details")}
            </Button>
            <Button className="small" onClick={fix}>
              {t("fix")}
            </Button>
          </div>
        )
      )}
    </>
  );
}

function Console({ lines }: { lines: readonly ConsoleLine[] }) {
  if (lines.length === 0) return <p className="console hint">{t("consoleEmpty")}</p>;
  return (
    <ol className="console" tabIndex={0} aria-label={t("console")}>
      {lines.map(({ level, text }, index) => (
        <li key={index} data-level={level}>
          {text}
        </li>
      ))}
    </ol>
  );
}

/** Shows what the person did in the frame that a frame may not do: follow a link out of it, or submit a form. */
function Blocked({ action, onClose }: { action: FrameMessage; onClose(): void }) {
  const href = action.type === "link" ? safeLink(action.url) : undefined;
  if (action.type === "link" && href === undefined) return null;
  return (
    <div className="frame-line frame-request" role="status">
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
