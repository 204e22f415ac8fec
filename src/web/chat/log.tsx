import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { callsOf } from "../../protocol/reduce.ts";
import { conversation, liveIsShown, placeOf, reopenSession } from "../state/conversation.ts";
import { loadEarlier, showVersion } from "../state/reading.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";
import { Message } from "./message.tsx";
import { Problem } from "./problem.tsx";
import { Welcome } from "./welcome.tsx";

const NEAR = 60;

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
  const shown = writing ? [...messages, undefined] : messages;
  return (
    <Scroller busy={busy} writing={writing} firstId={messages[0]?.id}>
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
      {hasEarlier && <Earlier />}
      {shown.map((message) =>
        message ? (
          <Message key={placeOf(message)} message={message} />
        ) : (
          <Message key={livePlace ?? "live"} />
        ),
      )}
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

/** Reads on by itself where somebody scrolls up to it. */
function Earlier() {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) void loadEarlier();
    });
    if (button.current) observer.observe(button.current);
    return () => observer.disconnect();
  }, []);
  return (
    <button ref={button} type="button" className="earlier" onClick={loadEarlier}>
      {t("earlier")}
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

/** Stays at the end while the text grows, unless somebody has scrolled away from it. */
function Scroller({
  busy,
  writing,
  firstId,
  children,
}: {
  busy: boolean;
  writing: boolean;
  firstId: string | undefined;
  children: ReactNode;
}) {
  const outer = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const stuck = useRef(true);
  const before = useRef({ height: 0, firstId });
  const switched = conversation((state) => state.switched);
  const [away, setAway] = useState(false);

  useEffect(() => {
    const box = outer.current;
    const inside = content.current;
    if (!box || !inside) return;
    const observer = new ResizeObserver(() => {
      if (stuck.current) box.scrollTop = box.scrollHeight;
      before.current.height = box.scrollHeight;
    });
    observer.observe(inside);
    observer.observe(box);
    return () => observer.disconnect();
  }, []);

  // Earlier messages push the others down: what is being read stays where it is.
  useLayoutEffect(() => {
    const box = outer.current;
    if (!box) return;
    const { height, firstId: oldFirst } = before.current;
    if (oldFirst !== firstId && oldFirst !== undefined && !stuck.current)
      box.scrollTop += box.scrollHeight - height;
    before.current = { height: box.scrollHeight, firstId };
  }, [firstId]);

  // Another version may be longer or shorter: the picker stays under the pointer.
  useLayoutEffect(() => {
    const box = outer.current;
    const inside = content.current;
    if (!box || !inside) return;
    inside.style.minHeight = "";
    const picker = switched && box.querySelector(`.versions[data-place="${CSS.escape(switched.place)}"]`);
    if (!picker) return;
    stuck.current = false;
    const wanted = box.scrollTop + picker.getBoundingClientRect().top - switched.top;
    // A shorter one leaves some room below, or it could not stay.
    if (wanted + box.clientHeight > box.scrollHeight)
      inside.style.minHeight = `${wanted + box.clientHeight}px`;
    box.scrollTop = wanted;
    before.current.height = box.scrollHeight;
  }, [switched]);

  useEffect(() => {
    if (!writing) return;
    stuck.current = true;
    setAway(false);
    if (content.current) content.current.style.minHeight = "";
    if (outer.current) outer.current.scrollTop = outer.current.scrollHeight;
  }, [writing]);

  function onScroll(): void {
    const box = outer.current;
    if (!box) return;
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
    stuck.current = atEnd;
    setAway(!atEnd);
  }

  return (
    <div className="log-frame">
      <div
        ref={outer}
        className="log"
        role="log"
        aria-live="off"
        aria-busy={writing}
        data-busy={busy}
        aria-label={t("conversation")}
        tabIndex={0}
        onScroll={onScroll}
      >
        <div ref={content} className="log-content">
          {children}
        </div>
      </div>
      {away && (
        <button
          type="button"
          className="to-bottom"
          aria-label={t("toBottom")}
          onClick={() => {
            if (outer.current) outer.current.scrollTop = outer.current.scrollHeight;
          }}
        >
          <Icon name="toBottom" />
        </button>
      )}
    </div>
  );
}
