import type { ChatEvent } from "../../../protocol/events.ts";
import { callsOf, emptyRun, type RunState, reduce } from "../../../protocol/reduce.ts";
import type { StreamEncoder } from "../../sse.ts";
import { dataFrames } from "../frames.ts";

/** Encodes a run for a front end's protocol. Takes each event once, in order. */
export interface FrontEndEncoder {
  take(event: ChatEvent): object[];
  /** The end of a stream whose run waits for a decision. */
  pause(): object[];
  /** The start of the stream that resumes there. */
  resume(): object[];
}

export interface FrameOptions {
  /** Calls that need no decision any more. */
  decided?: ReadonlySet<string>;
  /** Calls that were just decided. What was sent before the question is not sent again. */
  resumeFrom?: ReadonlySet<string>;
  headers?: Record<string, string>;
  /** The last frame of every stream. */
  end: string;
}

/** Front ends end their stream when a call needs a decision and send it with a new request. The same run waits and resumes. */
export function pausingStream(encoder: FrontEndEncoder, options: FrameOptions): StreamEncoder {
  const { decided = new Set(), resumeFrom } = options;
  let calls = emptyRun();
  let silent = resumeFrom !== undefined;
  let over = false;

  function framesFor(event: ChatEvent): object[] {
    const frames = encoder.take(event);
    if ("toolCallId" in event) calls = reduce(calls, event);
    const open = openQuestions(calls);
    if (silent) {
      // A decision can arrive while other calls still run, before the stream has paused.
      const early = hasResumed(event, resumeFrom);
      if (!early && !open.some((id) => resumeFrom?.has(id))) return [];
      silent = false;
      if (early) return [...encoder.resume(), ...frames];
      encoder.pause();
      return encoder.resume();
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

function hasResumed(event: ChatEvent, calls: ReadonlySet<string> | undefined): boolean {
  return (
    (event.type === "tool_executing" || event.type === "tool_result") && calls?.has(event.toolCallId) === true
  );
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
