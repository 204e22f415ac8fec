import { isMac } from "../ui/platform.ts";

const NAMES: Record<string, string> = { "⌘": "Ctrl", "⇧": "Shift", "⌥": "Alt", "↵": "Enter" };

/** Shows keys such as `⌘⇧O` as caps, named as on the person's keyboard. */
export function KeyCaps({ keys }: { keys: string }) {
  const caps = keys.match(/[⌘⇧⌥↵↑↓]|[^⌘⇧⌥↵↑↓\s]+/g) ?? [];
  return (
    <span className="key-caps">
      {caps.map((cap) => (
        <kbd key={cap}>{isMac() ? cap : (NAMES[cap] ?? cap)}</kbd>
      ))}
    </span>
  );
}
