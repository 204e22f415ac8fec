import { cleanText } from "../../protocol/clean-text.ts";
import type { ToolContext } from "../../protocol/tool.ts";

const MIN_PAUSE_MS = 100;
const MAX_REPORTS = 500;
const MAX_MESSAGE = 300;

interface Report {
  progress: number;
  total?: number;
  message?: string;
}

/** Forwards a server's progress to the person at a limited rate. */
export function progressTo(context: ToolContext): (report: Report) => void {
  let last = Number.NEGATIVE_INFINITY;
  let reports = 0;
  return ({ progress, total, message }) => {
    const now = performance.now();
    const done = total !== undefined && progress >= total;
    if (context.signal.aborted || reports >= MAX_REPORTS || (now - last < MIN_PAUSE_MS && !done)) return;
    last = now;
    reports++;
    const share = total !== undefined && total > 0 ? (progress / total) * 100 : undefined;
    const words = cleanText(message ?? "", MAX_MESSAGE).trim();
    context.progress({
      message: words || (total === undefined ? `Step ${progress}` : `Step ${progress} of ${total}`),
      ...(share === undefined ? {} : { percent: Math.max(0, Math.min(100, Math.round(share))) }),
    });
  };
}
