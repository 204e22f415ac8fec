import { Failure, toFailure } from "../../protocol/failure.ts";
import {
  addUsage,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type Usage,
} from "../../protocol/model.ts";
import { quotable, readErrorBody } from "../wire/failures.ts";
import { type Ask, PROBES, type Probe, type ProbeAnswer } from "./probes.ts";
import type { TapedExchange } from "./tape.ts";

/** What came of one probe. `refused` means that the vendor refused a request, even if one without the cause worked. */
export interface CheckResult {
  check: string;
  status: "accepted" | "refused" | "not offered" | "error";
  detail: string;
  ms: number;
  usage: Usage;
}

/** One request that ended, for a recording: its exchange is the last one on the tape. */
export interface ProbedAnswer {
  check: string;
  exchange: TapedExchange;
  answer: Pick<ProbeAnswer, "text" | "calls" | "reason"> | undefined;
}

export interface CheckOptions {
  model: Model;
  /** Everything that the model's transport has sent so far. */
  tape: TapedExchange[];
  signal: AbortSignal;
  onStart?(check: string): void;
  onResult(result: CheckResult): void;
  onAnswer?(answer: ProbedAnswer): void;
}

const PATIENCE_MS = 90_000;
/** Refusals of what was sent. Others are about the key, the model's name, limits or the vendor itself. */
const REFUSALS = new Set([400, 405, 413, 415, 422]);

/** Checks one model. Returns early if it is stopped, or if the vendor answers not even the plainest request. */
export async function checkModel(options: CheckOptions): Promise<void> {
  const { model, tape, signal, onStart, onResult } = options;
  const from = tape.length;
  for (const probe of PROBES) {
    if (signal.aborted) return;
    if (!probe.offered(model.info)) {
      const usage = { inputTokens: 0, outputTokens: 0 };
      onResult({ check: probe.name, status: "not offered", detail: "", ms: 0, usage });
      continue;
    }
    onStart?.(probe.name);
    const result = await runProbe(probe, options);
    if (signal.aborted) return;
    const isHopeless =
      result.status === "error" && !tape.slice(from).some(({ status }) => status >= 200 && status < 300);
    onResult(isHopeless ? { ...result, detail: `${result.detail} Nothing else was tried.` } : result);
    if (isHopeless) return;
  }
}

async function runProbe(probe: Probe, options: CheckOptions): Promise<CheckResult> {
  const { model, tape, signal } = options;
  const from = tape.length;
  const usage: Usage = { inputTokens: 0, outputTokens: 0 };
  const startedAt = performance.now();
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  const outcome = await probe.run(asking(probe, options, patience, usage), model.id).then(
    (detail) => ({ detail, failure: undefined }),
    (thrown: unknown) => ({ detail: "", failure: toFailure(thrown) }),
  );
  const ms = Math.round(performance.now() - startedAt);
  const refusal = tape.slice(from).find(({ status }) => REFUSALS.has(status));
  const base = { check: probe.name, ms, usage };
  if (refusal) {
    const detail = wordsOf(refusal);
    return {
      ...base,
      status: "refused",
      detail: outcome.failure ? detail : `${detail} (It worked without that.)`,
    };
  }
  const { failure } = outcome;
  if (!failure) return { ...base, status: "accepted", detail: outcome.detail };
  const late = failure.code === "CANCELLED" && !signal.aborted;
  const detail = late ? `no answer within ${PATIENCE_MS / 1000} seconds` : failure.publicMessage;
  return { ...base, status: "error", detail };
}

function wordsOf({ answer }: TapedExchange): string {
  const body = Buffer.concat(answer).toString();
  return quotable(readErrorBody(body).message ?? body) || "without a reason";
}

/** Returns the function that a probe asks with. All of its requests have little room for the answer. */
function asking(
  { name, maxOutputTokens }: Probe,
  options: CheckOptions,
  signal: AbortSignal,
  usage: Usage,
): Ask {
  const { model, tape, onAnswer } = options;
  const report = (answer: ProbeAnswer | undefined) => {
    const exchange = tape.at(-1);
    if (exchange) onAnswer?.({ check: name, exchange, answer });
  };
  const send = async (
    request: Omit<ModelRequest, "tools">,
    stop: AbortSignal,
    onEvent: (event: ModelEvent) => void,
  ) => {
    let last: ModelEvent | undefined;
    let used: Usage | undefined;
    const whole = { tools: [], maxOutputTokens, ...request };
    await model.stream(
      whole,
      (event) => {
        if (event.type === "usage") used = event.usage;
        last = event;
        onEvent(event);
      },
      stop,
    );
    addUsage(usage, used);
    return { last, used };
  };
  const ask = async (request: Omit<ModelRequest, "tools">): Promise<ProbeAnswer> => {
    const answer = { text: "", reasoning: "", pieces: 0 };
    const { last, used } = await send(request, signal, (event) => {
      if (event.type === "reasoning_delta") answer.reasoning += event.text;
      if (event.type !== "text_delta") return;
      answer.text += event.text;
      answer.pieces++;
    });
    if (last?.type !== "finish") {
      report(undefined);
      throw last?.type === "failure"
        ? last.failure
        : new Failure("UPSTREAM_ERROR", "The answer did not end.");
    }
    const calls = last.parts.filter((part) => part.type === "tool_call");
    const read = { ...answer, calls, parts: last.parts, usage: used, reason: last.rawReason ?? last.reason };
    report(read);
    return read;
  };
  return Object.assign(ask, {
    async untilFirstWords(request: Omit<ModelRequest, "tools">) {
      const stop = new AbortController();
      let stoppedAt: number | undefined;
      const { last } = await send(request, AbortSignal.any([signal, stop.signal]), (event) => {
        if (stoppedAt !== undefined || (event.type !== "text_delta" && event.type !== "reasoning_delta"))
          return;
        stoppedAt = performance.now();
        stop.abort();
      });
      const took = stoppedAt === undefined ? undefined : performance.now() - stoppedAt;
      report(undefined);
      if (last?.type === "failure" && last.failure.code !== "CANCELLED") throw last.failure;
      if (signal.aborted && last?.type === "failure") throw last.failure;
      return last?.type === "finish" ? undefined : took;
    },
  });
}
