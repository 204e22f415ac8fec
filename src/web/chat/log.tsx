import { useEffect, useRef, useState } from "react";
import type { TranscriptMessage } from "../../protocol/chat.ts";
import { callsOf } from "../../protocol/reduce.ts";
import { conversation, liveIsShown, placeOf, reopenSession } from "../state/conversation.ts";
import { loadEarlier, showVersion } from "../state/reading.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";
import { Message } from "./message.tsx";
import { Problem } from "./problem.tsx";
import { Scroller } from "./scroller.tsx";
import { Welcome } from "./welcome.tsx";

/** As many messages are drawn at most while somebody reads back, and so many more where they come to their end. */
const MOST_DRAWN = 240;
const STEP = 60;

/** The conversation: finished messages, and the answer that is being written below them. */
export function Log() {
  const messages = conversation((state) => state.messages);
  const phase = conversation((state) => state.phase);
  const failure = conversation((state) => state.failure);
  const hasEarlier = conversation((state) => state.hasEarlier);
  const refused = conversation((state) => state.refused);
  const busy = conversation((state) => state.live !== undefined);
  const writing = conversation(liveIsShown);
  const livePlace = conversation((state) => state.live?.state.parentId);
  const { drawn, below, drawBelow } = useDrawn(messages, writing);
  return (
    <Scroller
      busy={busy}
      writing={writing}
      firstId={messages[0]?.id}
      more={below > 0}
      onEnd={() => drawBelow(below)}
    >
      {phase === "loading" && messages.length === 0 && <p className="status-line shimmer">{t("loading")}</p>}
      {phase === "failed" && failure && (
        <div className="problem" role="alert">
          <Icon name="warning" />
          <div>
            <p>{t("loadFailed")}</p>
            <p className="hint">{failure.publicMessage}</p>
          </div>
          <button type="button" onClick={reopenSession}>
            {t("tryAgain")}
          </button>
        </div>
      )}
      {phase === "ready" && messages.length === 0 && !busy && !refused && <Welcome />}
      {hasEarlier && <ReadOn key={messages[0]?.id} text={t("earlier")} read={loadEarlier} />}
      {(writing && below === 0 ? [...drawn, undefined] : drawn).map((message) =>
        message ? (
          <Message key={placeOf(message)} message={message} />
        ) : (
          <Message key={livePlace ?? "live"} />
        ),
      )}
      {below > 0 && <ReadOn key={below} text={t("later")} read={() => drawBelow(STEP)} />}
      {busy && !writing && <Elsewhere />}
      {refused && (
        <Problem
          key={refused.at}
          error={{ ...refused.failure, error: refused.failure.publicMessage }}
          at={refused.at}
          retryable={false}
        />
      )}
    </Scroller>
  );
}

/**
 * The messages that are drawn: all, until somebody reads back further than that. Then the newest are left out, and come
 * back from the top down.
 */
function useDrawn(messages: TranscriptMessage[], writing: boolean) {
  const [left, setLeft] = useState(0);
  const ends = useRef({ first: "", last: "" });
  const below = Math.min(left, Math.max(0, messages.length - MOST_DRAWN));
  useEffect(() => {
    const { first, last } = ends.current;
    ends.current = { first: messages[0]?.id ?? "", last: messages.at(-1)?.id ?? "" };
    if (last === ends.current.last && first !== ends.current.first) setLeft(messages.length - MOST_DRAWN);
  }, [messages]);
  useEffect(() => {
    if (writing) setLeft(0);
  }, [writing]);
  const drawn = below > 0 ? messages.slice(0, -below) : messages;
  return { drawn, below, drawBelow: (count: number) => setLeft(Math.max(0, below - count)) };
}

/** Reads on by itself where somebody scrolls to it; has another key for each page, so that it looks again. */
function ReadOn({ text, read }: { text: string; read(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  const newest = useRef(read);
  newest.current = read;
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) newest.current();
    });
    if (button.current) observer.observe(button.current);
    return () => observer.disconnect();
  }, []);
  return (
    <button ref={button} type="button" className="earlier" onClick={read}>
      {text}
    </button>
  );
}

/** Says that an answer is being written in a branch that is not shown. */
function Elsewhere() {
  const messageId = conversation((state) => state.live?.state.messageId);
  const waiting = conversation(
    ({ live }) => live && callsOf(live.state).some(({ status }) => status === "waiting"),
  );
  return (
    <p className="status-line">
      {t(waiting ? "decisionElsewhere" : "answerElsewhere")}
      <button type="button" onClick={() => messageId && showVersion(messageId)}>
        {t("showAnswer")}
      </button>
    </p>
  );
}
