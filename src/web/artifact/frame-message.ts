import { isObject } from "../../protocol/json.ts";

export type FrameMessage =
  | { type: "ready" }
  | { type: "pong" }
  | { type: "link"; url: string }
  | { type: "form" }
  | { type: "picked"; html: string }
  | { type: "unpicked" }
  | { type: "error"; message: string; line?: number }
  | { type: "console"; level: string; text: string };

/** How many characters of a part of an artifact are quoted. */
const MOST_QUOTED = 2_000;

/** Reads a message of the page in a frame. Returns undefined for anything that doesn't carry the frame's name. */
export function frameMessage(data: unknown, name: string): FrameMessage | undefined {
  if (!isObject(data) || data.tackle !== name) return undefined;
  switch (data.type) {
    case "ready":
    case "pong":
    case "form":
    case "unpicked":
      return { type: data.type };
    case "picked":
      return { type: "picked", html: String(data.html).slice(0, MOST_QUOTED) };
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
