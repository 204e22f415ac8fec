import { isObject } from "../../protocol/json.ts";

export type FrameMessage =
  | { type: "ready" }
  | { type: "pong" }
  | { type: "link"; url: string }
  | { type: "form" }
  | { type: "error"; message: string; line?: number }
  | { type: "console"; level: string; text: string };

/** Reads a message of the page in a frame. Returns undefined for anything that doesn't carry the frame's name. */
export function frameMessage(data: unknown, name: string): FrameMessage | undefined {
  if (!isObject(data) || data.tackle !== name) return undefined;
  switch (data.type) {
    case "ready":
    case "pong":
    case "form":
      return { type: data.type };
    case "link":
      return { type: "link", url: String(data.url) };
    case "error":
      return {
        type: "error",
        message: String(data.message),
        ...(typeof data.line === "number" ? { line: data.line } : {}),
      };
    case "console":
      return { type: "console", level: String(data.level), text: String(data.text) };
    default:
      return undefined;
  }
}
