import { useDeferredValue, useEffect, useRef, useState } from "react";
import type { TranscriptMessage } from "../../protocol/chat.ts";
import { callsOf } from "../../protocol/reduce.ts";
import { loadEarlier, showVersion } from "../state/branches.ts";
import { connection } from "../state/connection.ts";
import { conversation, isNewChat, liveIsShown, placeOf } from "../state/conversation.ts";
import { sentenceOf } from "../state/notices.ts";
import { reopenSession } from "../state/open-session.ts";
import { isShown, outbox, sendUnsent } from "../state/outbox.ts";
import { preferences } from "../state/preferences.ts";
import { sendAgain } from "../state/questions.ts";
import { t } from "../text/t.ts";
import { Awaited } from "../ui/awaited.tsx";
import { Button } from "../ui/button.tsx";
import { Message } from "./message.tsx";
import { Problem, ProblemBox } from "./problem.tsx";
import { Scroller } from "./scroller.tsx";
import { Welcome } from "./welcome.tsx";

/** The largest number of messages rendered while the person reads back, and how many more come with each step down. */
const MAX_RENDERED = 240;
const STEP = 60;

/** The conversation: finished messages and the answer that is being written. */
export function Log() {
  const messages = conversation((state) => state.messages);
  const phase = conversation((state) => state.phase);
  const failure = conversation((state) => state.failure);
  const hasEarlier = conversation((state) => state.hasEarlier);
  const refused = conversation((state) => state.refused);
  const refusedModel = preferences(({ model }) => model) ?? "";
  const busy = conversation((state) => state.live !== undefined);
  const writing = conversation(liveIsShown);
  // The question appears first, and the place of its answer in its own task: together they take longer than a frame.
  const answering = useDeferredValue(writing) && writing;
  const isNew = conversation(isNewChat);
  const livePlace = conversation((state) => state.live?.state.parentId);
  const { rendered, below, renderMore } = useRendered(messages, writing);
  return (
    <Scroller
      busy={busy}
      writing={writing}
      firstId={messages[0]?.id}
      more={below > 0}
      onEnd={() => renderMore(below)}
    >
      {phase === "loading" && messages.length === 0 && <Awaited of="messages" />}
      {phase === "failed" && failure && (
        <ProblemBox
          title={t("loadFailed")}
          line={failure.code === "NOT_FOUND" ? t("conversationGone") : sentenceOf(failure)}
          tone="danger"
        >
          <Button onClick={reopenSession}>{t("tryAgain")}</Button>
        </ProblemBox>
      )}
      {isNew && <Welcome />}
      {hasEarlier && <LoadMore key={messages[0]?.id} text={t("earlier")} load={loadEarlier} />}
      {(answering && below === 0 ? [...rendered, undefined] : rendered).map((message) =>
        message ? (
          <Message key={placeOf(message)} message={message} />
        ) : (
          <Message key={livePlace ?? "live"} />
        ),
      )}
      {below > 0 && <LoadMore key={below} text={t("later")} load={() => renderMore(STEP)} />}
      {busy && !writing && <Elsewhere />}
      <Unsent />
      {refused && (
        <Problem
          key={refused.at}
          refused
          model={refusedModel}
          error={{ ...refused.failure, error: refused.failure.publicMessage, cause: undefined }}
          at={refused.at}
          onRetry={() => void sendAgain()}
        />
      )}
    </Scroller>
  );
}

/**
 * Chooses the messages to render: all, until the person reads back too far. Then the newest are left out, and return as the
 * person scrolls down.
 */
function useRendered(messages: TranscriptMessage[], writing: boolean) {
  const [left, setLeft] = useState(0);
  const ends = useRef({ first: "", last: "" });
  const below = Math.min(left, Math.max(0, messages.length - MAX_RENDERED));
  useEffect(() => {
    const { first, last } = ends.current;
    ends.current = { first: messages[0]?.id ?? "", last: messages.at(-1)?.id ?? "" };
    if (last === ends.current.last && first !== ends.current.first) setLeft(messages.length - MAX_RENDERED);
  }, [messages]);
  useEffect(() => {
    if (writing) setLeft(0);
  }, [writing]);
  const rendered = below > 0 ? messages.slice(0, -below) : messages;
  return { rendered, below, renderMore: (count: number) => setLeft(Math.max(0, below - count)) };
}

/** Loads more when it is scrolled into view. It needs another key for each page, to observe again. */
function LoadMore({ text, load }: { text: string; load(): void }) {
  const button = useRef<HTMLButtonElement>(null);
  const newest = useRef(load);
  newest.current = load;
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) newest.current();
    });
    if (button.current) observer.observe(button.current);
    return () => observer.disconnect();
  }, []);
  return (
    <Button ref={button} className="earlier" onClick={load}>
      {text}
    </Button>
  );
}

/** Says that the newest message waits for the connection. */
function Unsent() {
  const waits = outbox(({ unsent }) => unsent.some(isShown));
  const busy = conversation((state) => state.live !== undefined);
  const online = connection((state) => state.online);
  if (!waits || busy) return null;
  return (
    <ProblemBox icon="offline" title={t(online ? "unreachableTitle" : "offlineTitle")} line={t("sendsLater")}>
      <Button onClick={sendUnsent}>{t("tryNow")}</Button>
    </ProblemBox>
  );
}

/** Says that an answer is being written in another branch. */
function Elsewhere() {
  const messageId = conversation((state) => state.live?.state.messageId);
  const waiting = conversation(
    ({ live }) => live && callsOf(live.state).some(({ status }) => status === "waiting"),
  );
  return (
    <p className="status-line">
      {t(waiting ? "decisionElsewhere" : "answerElsewhere")}
      <Button onClick={() => messageId && showVersion(messageId)}>{t("showAnswer")}</Button>
    </p>
  );
}
