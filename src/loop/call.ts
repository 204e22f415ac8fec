import { noteCall } from "../protocol/audit.ts";
import { readArguments } from "../protocol/call-arguments.ts";
import { Failure, toToolError } from "../protocol/failure.ts";
import type { Guard, GuardedCall, RunTool } from "../protocol/guard.ts";
import type { Shortened } from "../protocol/long-text.ts";
import type { ToolCallPart, ToolResultPart, Trust } from "../protocol/messages.ts";
import { type Provenance, provenanceOf } from "../protocol/provenance.ts";
import type { Effect, Tool, ToolContext, ToolOutput, ToolProgress } from "../protocol/tool.ts";
import { readProgress } from "../protocol/tool-progress.ts";
import { limitProgress } from "./limit-progress.ts";
import { coerceToSchema } from "./repair.ts";
import { spellAsDeclared } from "./spelling.ts";

export interface CallOutcome {
  result: ToolResultPart;
  latencyMs: number;
  retryCount: number;
  cached: boolean;
  costUsd?: number;
  data?: unknown;
  /** What a server sent, for the tool's own interface. */
  received?: ToolOutput["received"];
  images?: ToolOutput["images"];
  content?: ToolOutput["content"];
  /** What the result leaves out, if it was shortened. */
  omitted?: Shortened["omitted"];
  /** Why it did not succeed. */
  failure?: Failure;
}

export interface CallOptions {
  guard: Guard;
  /** Finds a tool by name or alias. */
  find(name: string): Tool | undefined;
  /** For the message about an unknown tool. */
  names(): string[];
  context: ToolContext;
  /** Shortens an output that is too long for the model. Undefined if it is not. */
  shorten(text: string, tool: Tool | undefined): Promise<Pick<Shortened, "output" | "omitted"> | undefined>;
  now(): number;
  /** Called with the arguments that passed the layers. Resolves if the call may run, throws `Failure` if not. */
  approve(call: GuardedCall): Promise<void>;
  /** Called right before the tool runs. */
  started(): Promise<void>;
}

/**
 * Takes one call through the layers and runs it. The only place that calls `tool.run`. Never throws: whatever happens
 * becomes the call's result.
 */
export async function runCall(call: ToolCallPart, options: CallOptions): Promise<CallOutcome> {
  let began = options.now();
  let ran = false;
  let entered = false;
  const started = async () => {
    await options.started();
    ran = true;
    began = options.now(); // The time that the person took to decide does not count.
  };
  try {
    const { output, effect } = await guarded(call, { ...options, started }, () => {
      entered = true;
    });
    const tool = options.find(call.name);
    const { trust, ...facts } = provenanceFrom(tool, output);
    const shortened = await options.shorten(output.output, tool);
    const text = shortened?.output ?? output.output;
    const found = trust === "untrusted" ? await options.guard.labels(text) : [];
    const labels = [...new Set([...(facts.labels ?? []), ...found])];
    return {
      result: {
        type: "tool_result",
        toolCallId: call.id,
        toolName: call.name,
        success: true,
        output: withNotices(text, options.context),
        trust,
        ...provenanceOf({ effect, ...facts, labels }),
      },
      latencyMs: elapsed(began, options),
      retryCount: retries(options, output.retryCount),
      cached: output.cached ?? false,
      costUsd: output.costUsd,
      data: output.data,
      received: output.received,
      ...(output.images ? { images: imagesOf(output.images) } : {}),
      ...(output.content && !shortened ? { content: output.content } : {}),
      omitted: shortened?.omitted,
    };
  } catch (thrown) {
    const known = options.guard.clean(thrown);
    // A running tool is FORBIDDEN something by what confines it: the sandbox, or a check of paths and addresses.
    if (entered ? known.code === "FORBIDDEN" : known.code !== "CANCELLED")
      noteCall(options.context, "call.refused", {
        // A name that the model made up may be anything.
        tool: options.find(call.name)?.name ?? "unknown",
        code: known.code,
      });
    const latencyMs = elapsed(began, options);
    const retryCount = retries(options, known.details?.retryCount);
    const failure = retryCount === 0 ? known : known.withDetails({ retryCount });
    const result = await withProvenance(
      failedResult(call, failure),
      ran ? options.find(call.name) : undefined,
      options,
    );
    return { result, latencyMs, retryCount, cached: false, failure };
  }
}

/**
 * Our own tools say where their text comes from. Servers and people's tools may say so too, but anybody may have written it, so
 * it counts only if it makes the text less trusted.
 */
function provenanceFrom(tool: Tool | undefined, output: ToolOutput): Provenance & { trust: Trust } {
  const trust = tool?.trust ?? "untrusted";
  if (tool?.source === undefined) return { ...provenanceOf(output), trust: output.trust ?? trust };
  return { sources: [tool.source], private: true, trust: output.trust === "untrusted" ? "untrusted" : trust };
}

/** The model reads the error of a failed call like a result. An error of a server, or of a person's tool, comes from outside. */
async function withProvenance(
  result: ToolResultPart,
  tool: Tool | undefined,
  { guard }: Pick<CallOptions, "guard">,
): Promise<ToolResultPart> {
  const theirs = tool?.source === undefined ? undefined : provenanceFrom(tool, { output: "" });
  if (result.trust === "trusted" && theirs?.trust !== "untrusted") return result;
  const labels = await guard.labels(result.output);
  return { ...result, ...provenanceOf({ ...result, ...theirs, labels }), trust: "untrusted" };
}

/** Tells the model about background commands that have ended. */
function withNotices(output: string, { commands, sessionId }: ToolContext): string {
  const notices = sessionId === undefined ? [] : (commands?.background.takeNotices(sessionId) ?? []);
  return [output, ...notices].join("\n\n");
}

/** The result of a call that did not run or did not succeed. */
export function failedResult(call: ToolCallPart, failure: Failure): ToolResultPart {
  return {
    type: "tool_result",
    toolCallId: call.id,
    toolName: call.name,
    success: false,
    output: failure.publicMessage,
    trust: failure.untrusted ? "untrusted" : "trusted",
    ...(failure.origin ? { origin: failure.origin } : {}),
    error: toToolError(failure),
  };
}

/** The result of a call that was stopped in time. */
export function stopped(): Failure {
  return new Failure("CANCELLED", "It was stopped before it ran.");
}

async function guarded(
  call: ToolCallPart,
  options: CallOptions,
  entered: () => void,
): Promise<{ output: ToolOutput; effect: Effect }> {
  const tool = options.find(call.name);
  if (!tool) {
    const names = options.names().join(", ") || "none";
    throw new Failure(
      "TOOL_UNKNOWN",
      `There is no tool "${call.name.slice(0, 100)}". Available tools: ${names}.`,
    );
  }
  const read = readArguments(call.arguments);
  if (!read.ok) {
    const received = call.arguments.slice(0, 500);
    throw new Failure("TOOL_INVALID_ARGUMENTS", `The arguments are not a JSON object. Received: ${received}`);
  }
  const guardedCall = await admit(tool, spellAsDeclared(read.value, tool), options);
  await options.approve(guardedCall);
  if (options.context.signal.aborted) throw stopped();
  await options.started();
  const { show: shown, progress: told } = options.context;
  const run: RunTool = async (signal, show = shown, progress = told) => {
    entered();
    const limited = tool.source === undefined ? { progress, end() {} } : limitProgress(progress);
    try {
      return await tool.run(guardedCall.args, {
        log: () => {},
        mayRead: (path: string) => options.guard.mayRead(guardedCall, path),
        ...options.context,
        signal,
        show,
        progress: (given: ToolProgress | string, percent?: number) =>
          limited.progress(readProgress(given, percent)),
      });
    } finally {
      limited.end();
    }
  };
  return { output: await options.guard.execute(guardedCall, run), effect: tool.effectOf(guardedCall.args) };
}

async function admit(tool: Tool, args: Record<string, unknown>, options: CallOptions): Promise<GuardedCall> {
  const call: GuardedCall = { tool, args, context: options.context };
  try {
    return { ...call, args: await options.guard.admit(call) };
  } catch (thrown) {
    const repairable = thrown instanceof Failure && thrown.code === "TOOL_INVALID_ARGUMENTS";
    const coerced = repairable ? coerceToSchema(args, tool.parameters) : undefined;
    if (!coerced) throw thrown;
    return { ...call, args: await options.guard.admit({ ...call, args: coerced }) };
  }
}

/** People's own tools may return anything. */
function imagesOf(images: unknown): NonNullable<ToolOutput["images"]> {
  if (!Array.isArray(images)) return [];
  return images.filter((image) => typeof image?.mimeType === "string" && typeof image.base64 === "string");
}

/** The retries of the models that a call asked, and those that the tool itself reports: in its output, or with its failure. */
function retries({ context }: CallOptions, reported: unknown): number {
  return (context.spending?.retryCount ?? 0) + (typeof reported === "number" ? reported : 0);
}

function elapsed(began: number, options: CallOptions): number {
  return Math.max(0, Math.round(options.now() - began));
}
