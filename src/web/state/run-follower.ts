import { mergeDeltas } from "../../protocol/deltas.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import { type RunState, reduce } from "../../protocol/reduce.ts";
import { chat } from "./server.ts";

/** Background tabs get no animation frames, so a timer shows the events. */
const HIDDEN_MS = 250;
/** The shortest time between two updates: more often is not visible, and each one costs a layout. */
const PACE_MS = 40;

/** Follows a run to its end and shows its state as it changes. Rejects if the connection is lost for good. */
export async function followRun(
  runId: string,
  from: { state: RunState; seq: number },
  show: (state: RunState, seq: number) => void,
  signal: AbortSignal,
): Promise<RunState> {
  let { state, seq } = from;
  let waiting: ChatEvent[] = [];
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shownAt = 0;

  function flush(): void {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = undefined;
    timer = undefined;
    if (waiting.length === 0) return;
    for (const event of merged(waiting)) state = reduce(state, event);
    waiting = [];
    shownAt = performance.now();
    if (!signal.aborted) show(state, seq);
  }

  function nextFrame(): void {
    frame = requestAnimationFrame(flush);
  }

  try {
    for await (const logged of chat.follow(runId, { after: seq, signal })) {
      waiting.push(logged.event);
      seq = logged.seq;
      if (frame !== undefined || timer !== undefined) continue;
      const early = shownAt + PACE_MS - performance.now();
      if (document.hidden) timer = setTimeout(flush, HIDDEN_MS);
      else if (early > 0) timer = setTimeout(nextFrame, early);
      else nextFrame();
    }
  } finally {
    flush();
  }
  return state;
}

/** Merges adjacent deltas, so that text that arrived together is added together. */
function merged(events: ChatEvent[]): ChatEvent[] {
  const result: ChatEvent[] = [];
  for (const event of events) {
    const last = result.at(-1);
    const both = last && mergeDeltas(last, event);
    if (both) result[result.length - 1] = both;
    else result.push(event);
  }
  return result;
}
