import { preferences } from "./preferences.ts";

interface Keys {
  key: string;
  shiftKey: boolean;
  metaKey: boolean;
  ctrlKey: boolean;
}

/** Returns when a key press sends the message: after the answer that is being written, or now. Undefined if it sends nothing. */
export function sendingOf({ key, shiftKey, metaKey, ctrlKey }: Keys): "now" | "after" | undefined {
  if (key !== "Enter") return undefined;
  const isCommand = metaKey || ctrlKey;
  if (preferences.getState().sendWith === "enter") {
    if (shiftKey) return undefined;
    return isCommand ? "now" : "after";
  }
  if (!isCommand) return undefined;
  return shiftKey ? "now" : "after";
}
