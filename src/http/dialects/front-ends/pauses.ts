import type { ChatEvent } from "../../../protocol/events.ts";
import { callsOf, emptyRun, type RunState, reduce } from "../../../protocol/reduce.ts";
import type { StreamEncoder } from "../../sse.ts";

/** Says a run in the words of a front end's protocol. Takes each event once, in order. */
export interface FrontEndEncoder {
  take(event: ChatEvent): object[];
  /** The end of a stream whose run waits for a person. */
  pause(): object[];
  /** The beginning of the stream that goes on from there. */
  goOn(): object[];
}

export interface FrameOptions {
  /** Calls that nobody has to be asked about any more. */
  decided?: ReadonlySet<string>;
  /** Calls that were just decided on: what was sent up to the question is not sent again. */
  goOnFrom?: ReadonlySet<string>;
  headers?: Record<string, string>;
  /** What closes every stream. */
  end: string;
}

/**
 * Front ends have their streams end where a person has to decide, and come back with the decision. The run meanwhile
 * waits: it is the same one that they come back to.
 */
export function pausingFrames(encoder: FrontEndEncoder, options: FrameOptions): StreamEncoder {
  const { decided = new Set(), goOnFrom } = options;
  let calls = emptyRun();
  let silent = goOnFrom !== undefined;
  let over = false;

  function framesFor(event: ChatEvent): object[] {
    const frames = encoder.take(event);
    if ("toolCallId" in event) calls = reduce(calls, event);
    const open = openQuestions(calls);
    if (silent) {
      // Whoever decides while other calls still run comes back before there was a pause.
      const early = goneOn(event, goOnFrom);
      if (!early && !open.some((id) => goOnFrom?.has(id))) return [];
      silent = false;
      if (early) return [...encoder.goOn(), ...frames];
      encoder.pause();
      return encoder.goOn();
    }
    if (!open.some((id) => !decided.has(id))) return frames;
    over = true;
    return [...frames, ...encoder.pause()];
  }

  return {
    encode(events) {
      let text = "";
      for (const { json } of events) {
        if (over) break;
        text += dataFrames(framesFor(JSON.parse(json) as ChatEvent));
      }
      return text;
    },
    end: () => options.end,
    over: () => over,
    headers: options.headers,
  };
}

function goneOn(event: ChatEvent, calls: ReadonlySet<string> | undefined): boolean {
  return (
    (event.type === "tool_executing" || event.type === "tool_result") && calls?.has(event.toolCallId) === true
  );
}

/** Each object as a frame of its own. */
export function dataFrames(frames: readonly object[]): string {
  return frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("");
}

/** Returns the ids of the calls of a run that need no decision any more. */
export function decidedCalls(state: RunState): Set<string> {
  const decided = callsOf(state).filter(({ status }) => status !== "pending" && status !== "waiting");
  return new Set(decided.map(({ toolCallId }) => toolCallId));
}

/** Returns the calls that wait for a decision, once no other call is running. */
function openQuestions(state: RunState): string[] {
  const calls = callsOf(state);
  if (calls.some(({ status }) => status === "running")) return [];
  return calls.flatMap(({ status, toolCallId }) => (status === "waiting" ? [toolCallId] : []));
}
