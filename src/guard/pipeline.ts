import type { Guard, GuardedCall, GuardLayer, RunTool } from "../protocol/guard.ts";
import { provenanceOf } from "../protocol/provenance.ts";
import type { GuardFact } from "../protocol/statistics.ts";
import type { ToolContext, ToolEvent, ToolOutput } from "../protocol/tool.ts";
import { toolFailure } from "./errors.ts";
import { boundText, type ExecutionLimits, execute } from "./execution.ts";
import { admitAll, ask, refundAll, settleAll } from "./layers.ts";
import { parametersLayer } from "./parameters.ts";
import { decide, mayRead, type Policy } from "./policy.ts";
import { hideSecretsInResult, hidingProgress } from "./redact/hide.ts";
import { createResultCache, isCacheable, type ResultCache } from "./result-cache.ts";

export interface PipelineOptions {
  policy: Policy;
  execution: ExecutionLimits;
  /** Layers that count and refuse before a call runs: limits, breakers. */
  limits?: GuardLayer[];
  /** Layers that check the arguments before they are parsed. */
  injection?: GuardLayer[];
  /** Labels what is suspicious in text that the model will read. */
  labels?(text: string): Promise<string[]> | string[];
  /** Called for every call that ran or was refused. Must not throw. */
  note?(fact: GuardFact, call: GuardedCall): void;
  now?(): number;
}

/** Combines the layers in order. A layer that throws or does not answer in time refuses the call. */
export function createGuard(options: PipelineOptions): Guard {
  const before = [...(options.injection ?? []), parametersLayer];
  const counting = options.limits ?? [];
  const note = options.note ?? (() => {});
  const cache = createResultCache(options.now);
  return {
    async admit(call) {
      let args = call.args;
      for (const layer of before) {
        const verdict = await ask(layer, { ...call, args });
        if (!verdict.allow) {
          note({ type: "refusal", tool: call.tool.name, code: verdict.failure.code }, call);
          throw verdict.failure;
        }
        if ("args" in verdict) args = verdict.args;
      }
      return args;
    },
    policy: (call, situation, remembered, planning) =>
      decide(options.policy, call, situation, remembered, planning),
    mayRead: (call, path) => mayRead(options.policy, call, path),
    async execute(call, run) {
      const tool = call.tool.name;
      const layers = await admitAll(counting, call);
      if ("refused" in layers) {
        note({ type: "refusal", tool, code: layers.refused.code }, call);
        throw layers.refused;
      }
      const { admitted } = layers;
      let began: number | undefined;
      const settle = async (thrown: unknown, { cached = false, costUsd }: Partial<ToolOutput>) => {
        if (began === undefined) return refundAll(admitted);
        const durationMs = performance.now() - began;
        const cost = costUsd === undefined ? {} : { costUsd };
        const outcome = thrown === undefined ? "success" : toolFailure(thrown).code;
        note({ type: "call", tool, outcome, durationMs, cached, ...cost }, call);
        await settleAll(admitted, thrown, cached);
      };
      const begin = (signal: AbortSignal) => {
        began = performance.now();
        const hiding: RunTool = (stop, show) => runHiding(call, run, options.execution, stop, show);
        return isCacheable(call) ? runCached(cache, call, hiding, signal) : hiding(signal);
      };
      const output = await execute(call, begin, options.execution).catch(async (thrown: unknown) => {
        await settle(thrown ?? toolFailure(thrown), {});
        throw thrown;
      });
      await settle(undefined, output);
      return output;
    },
    labels: options.labels ?? (() => []),
    clean: toolFailure,
  };
}

/** Runs a call and removes secrets from its output and progress, because both may be passed on. */
async function runHiding(
  call: GuardedCall,
  run: RunTool,
  { maxOutputCharacters }: ExecutionLimits,
  signal: AbortSignal,
  show?: ToolContext["show"],
): Promise<ToolOutput> {
  const { progress, end } = hidingProgress(call.context.progress);
  try {
    const output = await run(signal, show, progress);
    const { content, ...rest } = output;
    const bounded = { ...rest, output: boundText(output.output, maxOutputCharacters) };
    // Parts repeat the text. Without them, programs get the text alone.
    if (content && output.output.length <= maxOutputCharacters) Object.assign(bounded, { content });
    return await hideSecretsInResult(bounded, call.args);
  } finally {
    end();
  }
}

/** Runs a call, or returns its cached result and shows its events again. Failures are never cached. */
async function runCached(
  cache: ResultCache,
  call: GuardedCall,
  run: RunTool,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const { show } = call.context;
  const cached = cache.get(call);
  if (cached) {
    for (const event of cached.shown) show(event);
    return { ...cached.output, cached: true };
  }
  const shown: ToolEvent[] = [];
  const output = await run(signal, (event) => {
    shown.push(event);
    show(event);
  });
  // What comes with a warning is not quite what was asked for. The next call may get more.
  if (shown.some(({ type }) => type === "warning")) return output;
  // Cost and attempts belong to the call that did the work.
  const { output: text, data, trust, images, content } = output;
  const reusable = {
    output: text,
    data,
    images,
    content,
    trust,
    ...provenanceOf(output),
  };
  cache.set(call, { output: reusable, shown });
  return output;
}
