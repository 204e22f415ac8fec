import type { ToolProgress } from "../protocol/tool.ts";

/** So many reports of a call are passed on as they come, and then a few in a second. */
const AT_ONCE = 100;
const PAUSE_MS = 200;
const MAX_MESSAGE = 2_000;
/** What is kept of the output that a tool shows while it runs. Its result has its own limit. */
const MAX_OUTPUT = 1_000_000;

/**
 * Limits what people's own tools report. Every report is an event that is stored and sent to everybody who follows the run, and a
 * loop easily makes a million of them. If they come too fast, only the latest is reported.
 */
export function limitProgress(tell: (progress: ToolProgress) => void) {
  let free = AT_ONCE;
  let since = performance.now();
  let outputLeft = MAX_OUTPUT;
  let held: ToolProgress | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function mayReport(): boolean {
    const earned = Math.floor((performance.now() - since) / PAUSE_MS);
    since += earned * PAUSE_MS;
    free = Math.min(AT_ONCE, free + earned);
    if (free <= 0) return false;
    free--;
    return true;
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (held) tell(held);
    held = undefined;
  }

  return {
    progress(given: ToolProgress): void {
      const chunk = given.chunk?.slice(0, outputLeft);
      outputLeft -= chunk?.length ?? 0;
      const report = { ...given, message: given.message.slice(0, MAX_MESSAGE).toWellFormed() };
      const shown = (held?.chunk ?? "") + (chunk ?? "");
      delete report.chunk;
      held = shown === "" ? report : { ...report, chunk: shown };
      if (mayReport()) flush();
      else timer ??= setTimeout(flush, PAUSE_MS);
    },
    /** Tells what was held back. */
    end: flush,
  };
}
