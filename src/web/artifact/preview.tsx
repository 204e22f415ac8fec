import { useState } from "react";
import { safeLink } from "../markdown/links.ts";
import { askQuestion } from "../state/asking.ts";
import { t } from "../text/t.ts";
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

/** The artifact at work, what it says, and the ways to stop, restart and mend it. */
export function Preview({ id, title, previewUrl, compiledUrl }: Props) {
  const [said, setSaid] = useState<FrameMessage[]>([]);
  const [wish, setWish] = useState<FrameMessage>();
  const [silent, setSilent] = useState(false);
  const [stopped, setStopped] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const errors = said.flatMap((message) => (message.type === "error" ? [message.message] : []));
  const lines = said.flatMap((message) => (message.type === "console" ? [message] : []));

  function hear(message: FrameMessage): void {
    if (message.type === "link" || message.type === "form") setWish(message);
    if (message.type === "error" || message.type === "console")
      setSaid((all) => (all.length >= MAX_MESSAGES ? all : [...all, message]));
  }

  function stop(): void {
    setSilent(false);
    setStopped(true);
  }

  function restart(): void {
    setSaid([]);
    setWish(undefined);
    setSilent(false);
    setStopped(false);
    setAttempt(attempt + 1);
  }

  function fix(): void {
    const shown = lines.filter(({ level }) => level === "error").map(({ text }) => text);
    const error = [...new Set([...errors, ...shown])].slice(0, MAX_REPORTED).join("\n");
    void askQuestion({ text: t("fixRequest", { title, id: id ?? "", error }), attachments: [] });
  }

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
          onSilence={setSilent}
        />
      )}
      {silent && !stopped && (
        <div className="problem" role="alert">
          <Icon name="warning" />
          <p>{t("frameSilent")}</p>
          <button type="button" onClick={stop}>
            {t("stopFrame")}
          </button>
          <button type="button" onClick={restart}>
            {t("restart")}
          </button>
        </div>
      )}
      {errors.length > 0 && (
        <div className="problem" role="alert">
          <Icon name="warning" />
          <p>{errors[0]}</p>
          <button type="button" onClick={fix}>
            {t("fix")}
          </button>
        </div>
      )}
      {wish && <Wish wish={wish} onClose={() => setWish(undefined)} />}
      <div className="pane-foot">
        <button type="button" className="link" onClick={restart}>
          <Icon name="retry" /> {t("restart")}
        </button>
        {!stopped && (
          <button type="button" className="link" onClick={stop}>
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

/** What a person did in the frame that the frame may not do by itself: a link leads out of it, a form would be sent. */
function Wish({ wish, onClose }: { wish: FrameMessage; onClose(): void }) {
  const href = wish.type === "link" ? safeLink(wish.url) : undefined;
  if (wish.type === "link" && href === undefined) return null;
  return (
    <div className="frame-wish" role="status">
      <span>{href === undefined ? t("frameForm") : t("frameLink", { url: href })}</span>
      {href !== undefined && (
        <a className="link" href={href} target="_blank" rel="noopener noreferrer nofollow" onClick={onClose}>
          {t("openLink")}
        </a>
      )}
      <button type="button" className="quiet" onClick={onClose} aria-label={t("close")} title={t("close")}>
        <Icon name="close" />
      </button>
    </div>
  );
}
