import { holdNotices, notices, runAction } from "../state/notices.ts";
import { Button } from "./button.tsx";

/** Short messages at the bottom, where they cover neither the title nor the newest text. */
export function Notices() {
  const all = notices((state) => state.notices);
  const hold = () => holdNotices(true);
  const release = () => holdNotices(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a message that is being read does not disappear
    <div className="notices" onPointerEnter={hold} onPointerLeave={release} onFocus={hold} onBlur={release}>
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
