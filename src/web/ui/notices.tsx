import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { createPortal } from "react-dom";
import { holdNotices, notices, runAction } from "../state/notices.ts";
import { Button } from "./button.tsx";
import { openDialogs } from "./dialog.tsx";

const GAP = 12;

const hold = () => holdNotices(true);
const release = () => holdNotices(false);

/** Keeps the messages above the message field, where that is at the bottom, however high it grows. */
function usePlace(box: RefObject<HTMLElement | null>, shown: boolean): void {
  useLayoutEffect(() => {
    const field = document.querySelector("[data-part=composer]");
    if (!shown || !field) return;
    const place = () => {
      const { top, bottom } = field.getBoundingClientRect();
      const row = document.querySelector("[data-part=queue]")?.getBoundingClientRect().top ?? top;
      const isLow = innerHeight - bottom < top;
      box.current?.style.setProperty("--above", isLow ? `${innerHeight - row + GAP}px` : "");
    };
    const observer = new ResizeObserver(place);
    observer.observe(field);
    addEventListener("resize", place);
    return () => {
      observer.disconnect();
      removeEventListener("resize", place);
    };
  }, [box, shown]);
}

/** Short messages at the bottom, where they cover neither the title nor the newest text. Under a dialog they are part of it. */
export function Notices() {
  const dialog = openDialogs(({ dialogs }) => dialogs.at(-1));
  return dialog ? createPortal(<NoticeList key="over" />, dialog) : <NoticeList />;
}

function NoticeList() {
  const all = notices((state) => state.notices);
  const box = useRef<HTMLDivElement>(null);
  usePlace(box, all.length > 0);
  // Nothing says that the pointer has left what is gone.
  useEffect(() => release, []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a message that is being read does not disappear
    <div
      ref={box}
      className="notices"
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocus={hold}
      onBlur={release}
    >
      <div role="status">
        {all.map((notice) => (
          <div key={notice.id} className={`notice ${notice.kind}`} data-part="toast">
            <span dir="auto">{notice.text}</span>
            {notice.action && <Button onClick={() => runAction(notice)}>{notice.action.label}</Button>}
          </div>
        ))}
      </div>
    </div>
  );
}
