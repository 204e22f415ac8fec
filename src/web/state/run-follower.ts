import { mergeDeltas } from "../../protocol/deltas.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import { type RunState, reduce } from "../../protocol/reduce.ts";
import { chat } from "./server.ts";

/** Background tabs get no animation frames, so a timer shows the events. */
const HIDDEN_MS = 250;

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

  function flush(): void {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = undefined;
    timer = undefined;
    if (waiting.length === 0) return;
    for (const event of merged(waiting)) state = reduce(state, event);
    waiting = [];
    if (!signal.aborted) show(state, seq);
  }

  try {
    for await (const logged of chat.follow(runId, { after: seq, signal })) {
      waiting.push(logged.event);
      seq = logged.seq;
      if (frame !== undefined || timer !== undefined) continue;
      if (document.hidden) timer = setTimeout(flush, HIDDEN_MS);
      else frame = requestAnimationFrame(flush);
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
