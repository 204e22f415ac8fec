import { notices } from "../state/notices.ts";
import { Button } from "./button.tsx";

/** Short messages at the bottom, where they cover neither the title nor the newest text. */
export function Notices() {
  const all = notices((state) => state.notices);
  return (
    <div className="notices" role="status">
      {all.map(({ id, text, kind, action }) => (
        <div key={id} className={`notice ${kind}`} data-part="toast">
          <span>{text}</span>
          {action && (
            <Button
              onClick={() => {
                action.run();
                notices.setState((state) => ({ notices: state.notices.filter((one) => one.id !== id) }));
              }}
            >
              {action.label}
            </Button>
          )}
        </div>
      ))}
    </div>
  );
}
