import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { conversation, loadEarlier, reopenSession } from "../state/conversation.ts";
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
  const liveId = conversation((state) => state.live?.state.messageId);
  const shown = busy ? [...messages, undefined] : messages;
  const lastAsked = messages.findLastIndex(({ role }) => role === "user");
  return (
    <Scroller busy={busy} firstId={messages[0]?.id}>
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
      {hasEarlier && (
        <button type="button" className="earlier" onClick={loadEarlier}>
          {t("earlier")}
        </button>
      )}
      {shown.map((message, index) =>
        message ? (
          <Message
            key={message.id}
            message={message}
            last={!busy && (index === messages.length - 1 || index === lastAsked)}
          />
        ) : (
          <Message key={liveId || "live"} last={false} />
        ),
      )}
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

/** Stays at the end while the text grows, unless somebody has scrolled away from it. */
function Scroller({
  busy,
  firstId,
  children,
}: {
  busy: boolean;
  firstId: string | undefined;
  children: ReactNode;
}) {
  const outer = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const stuck = useRef(true);
  const before = useRef({ height: 0, firstId });
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

  useEffect(() => {
    if (!busy) return;
    stuck.current = true;
    setAway(false);
    if (outer.current) outer.current.scrollTop = outer.current.scrollHeight;
  }, [busy]);

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
        aria-busy={busy}
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
