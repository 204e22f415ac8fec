import type { ChatEvent } from "../../../protocol/events.ts";
import { callsOf, emptyRun, findCall, type RunState, reduce } from "../../../protocol/reduce.ts";
import type { StreamEncoder } from "../../sse.ts";
import { dataFrames } from "../frames.ts";

/** Encodes a run for a front end's protocol. Takes each event once, in order. */
export interface FrontEndEncoder {
  /** A question to the person ends the stream, too. Otherwise it is answered elsewhere while the stream continues. */
  readonly pausesForQuestions?: boolean;
  take(event: ChatEvent): object[];
  /** The end of a stream whose run waits for a decision. */
  pause(): object[];
  /** The start of the stream that resumes there. */
  resume(): object[];
}

export interface FrameOptions {
  /** What needs no decision any more: calls, and questions of calls. */
  decided?: ReadonlySet<string>;
  /** What was just decided. What was sent before it was asked is not sent again. */
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
    const open = openQuestions(calls, encoder.pausesForQuestions ?? false);
    if (silent) {
      // A decision can arrive while other calls still run, before the stream has paused.
      const early = hasResumed(event, resumeFrom, calls);
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

function hasResumed(event: ChatEvent, keys: ReadonlySet<string> | undefined, calls: RunState): boolean {
  if (!keys || !("toolCallId" in event)) return false;
  const { toolCallId } = event;
  const asked = findCall(calls, toolCallId)?.question;
  const ofQuestion = asked !== undefined && keys.has(keyOfQuestion(toolCallId, asked.number));
  if (event.type === "question_answered") return ofQuestion;
  if (event.type === "tool_result" && ofQuestion) return true;
  return (event.type === "tool_executing" || event.type === "tool_result") && keys.has(toolCallId);
}

/** Names a question of a call: a call may ask several, one after the other. */
export function keyOfQuestion(toolCallId: string, number = 1): string {
  return `${toolCallId}?${number}`;
}

/** Returns the calls of a run, and their questions, that need no decision any more. */
export function decidedCalls(state: RunState): Set<string> {
  const keys = callsOf(state).flatMap(({ toolCallId, status, question }) => {
    const isDecided = question !== undefined || (status !== "pending" && status !== "waiting");
    const { number = 1, answer } = question ?? { number: 0 };
    const answered = Array.from({ length: answer === undefined ? Math.max(0, number - 1) : number });
    return [
      ...(isDecided ? [toolCallId] : []),
      ...answered.map((_, at) => keyOfQuestion(toolCallId, at + 1)),
    ];
  });
  return new Set(keys);
}

/** Returns the calls that wait for a decision or an answer, once no other call is running. */
function openQuestions(state: RunState, withQuestions: boolean): string[] {
  const calls = callsOf(state);
  if (calls.some(({ status }) => status === "running")) return [];
  return calls.flatMap(({ status, toolCallId, question }) => {
    if (status !== "waiting") return [];
    if (!question) return [toolCallId];
    return withQuestions ? [keyOfQuestion(toolCallId, question.number)] : [];
  });
}
