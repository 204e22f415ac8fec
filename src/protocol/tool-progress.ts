import type { ToolProgress } from "./tool.ts";

/** Reads what a tool says about its progress. People's own tools may say anything. */
export function readProgress(given: ToolProgress | string, percent?: number): ToolProgress {
  if (typeof given === "object" && given !== null) return progressOf({ ...given });
  return progressOf({ message: given, percent });
}

function progressOf({
  message,
  phase,
  percent,
  chunk,
}: Partial<Record<keyof ToolProgress, unknown>>): ToolProgress {
  return {
    message: message === undefined ? "" : String(message),
    ...(phase === undefined ? {} : { phase: String(phase) }),
    ...(Number.isFinite(percent) ? { percent: Number(percent) } : {}),
    ...(chunk === undefined ? {} : { chunk: String(chunk) }),
  };
}
