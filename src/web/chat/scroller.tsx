import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { conversation } from "../state/conversation.ts";
import { openSteps } from "../state/open-steps.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";

interface Props {
  /** An answer is being written in this session. */
  busy: boolean;
  /** It is being written at the end of the branch on the screen. */
  writing: boolean;
  firstId: string | undefined;
  /** There are messages below that are not rendered. */
  more: boolean;
  /** Renders all messages below. */
  onEnd(): void;
  children: ReactNode;
}

const NEAR = 60;

/** Stays at the end while the text grows, unless the person has scrolled up. */
export function Scroller({ busy, writing, firstId, more, onEnd, children }: Props) {
  const outer = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const stuck = useRef(true);
  const lastTop = useRef(0);
  const before = useRef({ height: 0, firstId });
  const switched = conversation((state) => state.switched);
  const [away, setAway] = useState(false);

  useEffect(() => {
    const box = outer.current;
    const inside = content.current;
    if (!box || !inside) return;
    let unfolded = false;
    const observer = new ResizeObserver(() => {
      const { scrollHeight } = box;
      if (unfolded) {
        unfolded = false;
        stuck.current = isAtEnd(box);
        setAway(!stuck.current);
      } else if (stuck.current) box.scrollTop = scrollHeight;
      before.current.height = scrollHeight;
    });
    observer.observe(inside);
    observer.observe(box);
    // What the person unfolds stays where it was clicked, also while text arrives below.
    const stop = openSteps.subscribe(() => {
      unfolded = true;
    });
    return () => {
      observer.disconnect();
      stop();
    };
  }, []);

  // Earlier messages push the others down: what the person reads must stay in place.
  useLayoutEffect(() => {
    const box = outer.current;
    if (!box) return;
    const { height, firstId: oldFirst } = before.current;
    if (oldFirst !== firstId && oldFirst !== undefined && !stuck.current)
      box.scrollTop += box.scrollHeight - height;
    before.current = { height: box.scrollHeight, firstId };
  }, [firstId]);

  // Another version may be longer or shorter: the picker must stay under the pointer.
  useLayoutEffect(() => {
    const box = outer.current;
    const inside = content.current;
    if (!box || !inside) return;
    inside.style.minHeight = "";
    const picker = switched && box.querySelector(`.versions[data-place="${CSS.escape(switched.place)}"]`);
    if (!picker) return;
    stuck.current = false;
    const wanted = box.scrollTop + picker.getBoundingClientRect().top - switched.top;
    // A shorter version needs some room below for that.
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
    // Text that has arrived since then is below the end. Only a person scrolls away from it.
    const isBack = box.scrollTop < lastTop.current;
    lastTop.current = box.scrollTop;
    if (more || isAtEnd(box) || isBack) stuck.current = !more && isAtEnd(box);
    setAway(!stuck.current);
    const scrolled = String(box.scrollTop > 0);
    if (box.dataset.scrolled !== scrolled) box.dataset.scrolled = scrolled;
  }

  return (
    <div className="log-frame">
      <div
        ref={outer}
        className="log"
        data-part="log"
        role="log"
        aria-live="off"
        aria-busy={writing}
        data-busy={busy}
        aria-label={t("conversation")}
        tabIndex={0}
        onScroll={onScroll}
      >
        <div ref={content} className="log-content" data-part="column">
          {children}
        </div>
      </div>
      {away && (
        <Button
          className="to-bottom"
          aria-label={t("toBottom")}
          onClick={() => {
            stuck.current = true;
            onEnd();
            if (outer.current) outer.current.scrollTop = outer.current.scrollHeight;
          }}
        >
          <Icon name="toBottom" />
        </Button>
      )}
    </div>
  );
}

function isAtEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < NEAR;
}
