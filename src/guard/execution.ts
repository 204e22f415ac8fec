import { Failure } from "../protocol/failure.ts";
import type { GuardedCall } from "../protocol/guard.ts";
import type { ToolOutput } from "../protocol/tool.ts";

export interface ExecutionLimits {
  timeoutMs: number;
  /** Characters that are kept of an output. What the model is shown of it is decided later. */
  maxOutputCharacters: number;
}

/** Layer 4: runs a call within its time limit. A call that ignores its signal is abandoned. */
export async function execute(
  call: GuardedCall,
  run: (signal: AbortSignal) => Promise<ToolOutput>,
  limits: ExecutionLimits,
): Promise<ToolOutput> {
  const timeoutMs = call.tool.timeoutMs ?? limits.timeoutMs;
  const timeout = new AbortController();
  const cancelled = call.context.signal;
  const timer = pausableTimer(() => timeout.abort(), timeoutMs);
  // The time in which a person is asked does not count.
  if (call.context.timeLimit) Object.assign(call.context.timeLimit, timer);
  const stop = Promise.withResolvers<never>();
  const refuse = () => stop.reject(timeout.signal.aborted ? timedOut(call, timeoutMs) : stopped());
  timeout.signal.addEventListener("abort", refuse);
  cancelled.addEventListener("abort", refuse);
  try {
    if (cancelled.aborted) throw stopped();
    return await Promise.race([run(AbortSignal.any([timeout.signal, cancelled])), stop.promise]);
  } catch (thrown) {
    if (timeout.signal.aborted) throw timedOut(call, timeoutMs);
    if (cancelled.aborted) throw stopped();
    throw thrown;
  } finally {
    timer.pause();
    cancelled.removeEventListener("abort", refuse);
    // An abandoned call is told to stop. Its rejection is no longer listened to.
    timeout.signal.removeEventListener("abort", refuse);
    timeout.abort();
  }
}

function pausableTimer(ring: () => void, ms: number): { pause(): void; resume(): void } {
  let left = ms;
  let since = performance.now();
  let timer: NodeJS.Timeout | undefined = setTimeout(ring, ms);
  return {
    pause() {
      if (!timer) return;
      clearTimeout(timer);
      timer = undefined;
      left -= performance.now() - since;
    },
    resume() {
      if (timer) return;
      since = performance.now();
      timer = setTimeout(ring, Math.max(0, left));
    },
  };
}

/** Cuts a text to a length without splitting a character, and appends a note. */
export function boundText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const left = text.length - maxCharacters;
  return `${text.slice(0, maxCharacters).toWellFormed().replace(/�$/, "")}\n[… ${left} more characters were cut]`;
}

function timedOut(call: GuardedCall, timeoutMs: number): Failure {
  const seconds = Math.round(timeoutMs / 100) / 10;
  return new Failure("TOOL_TIMEOUT", `${call.tool.name} did not finish within ${seconds} s and was stopped.`);
}

function stopped(): Failure {
  return new Failure("CANCELLED", "It was stopped before it finished, and may have partly run.");
}
