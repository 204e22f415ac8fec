import { z } from "zod";
import { type ContentBlock, contentFrom, imagesOfContent, resourceBlock, textOfContent } from "./content.ts";
import { Failure } from "./failure.ts";
import { shownIssues } from "./issues.ts";
import { isObject, type JsonSchema } from "./json.ts";
import type { Trust } from "./messages.ts";
import { inPlainWords } from "./plain-issues.ts";
import type { Reason } from "./reasons.ts";
import type { CallRisk, Effect, Parsed, Tool, ToolContext, ToolOutput, ToolProgress } from "./tool.ts";

/** How long an error in a tool's own words may be. */
const MAX_ERROR = 2_000;

type Optional =
  | "aliases"
  | "spellings"
  | "trust"
  | "timeoutMs"
  | "limit"
  | "parallel"
  | "streaming"
  | "sessionOnly"
  | "lasting"
  | "shown"
  | "task"
  | "modelRole"
  | "available"
  | "cacheSeconds"
  | "undo";

/** What `run` is given. A sentence and a percentage tell the progress too. */
export type RunContext = Omit<ToolContext, "progress"> & {
  progress(progress: ToolProgress | string, percent?: number): void;
};

/** What `defineTool` takes. The fields mean the same as in `Tool`, with parsed arguments. */
export interface ToolDefinition<Input extends z.ZodType>
  extends Pick<Tool, "name" | "description" | "retry">,
    Partial<Pick<Tool, Optional>> {
  effect: Effect | ((args: z.output<Input>) => Effect);
  input: Input;
  run(args: z.output<Input>, context: RunContext): unknown;
  preview?(args: z.output<Input>, context: ToolContext): Promise<string | undefined> | string | undefined;
  upstream?(args: z.output<Input>, context: ToolContext): Promise<string | undefined> | string | undefined;
  mustAsk?(args: z.output<Input>, context: ToolContext): string | Reason | undefined;
  riskOf?(args: z.output<Input>): CallRisk;
  alsoSends?(args: z.output<Input>, context: ToolContext): boolean;
  outgoing?(args: z.output<Input>): unknown;
}

/** A tool whose arguments the compiler knows. */
export interface TypedTool<Args = unknown> extends Tool {
  /** Never set: it only carries the type. */
  readonly argumentTypes?: Args;
}

/** True for an event or a call of this tool with valid arguments. Their type is then known. */
export function isCallOf<Args, Value extends object>(
  tool: TypedTool<Args>,
  value: Value,
): value is Extract<Value, { toolName: string; arguments: unknown }> & { arguments: Args } {
  if (!("toolName" in value && "arguments" in value) || value.toolName !== tool.name) return false;
  return tool.parse(value.arguments).ok;
}

/** Declares a tool. Unknown keys in its arguments are refused, whatever the schema says. */
export function defineTool<Input extends z.ZodType>(
  definition: ToolDefinition<Input>,
): TypedTool<z.input<Input>> {
  const input = definition.input instanceof z.ZodObject ? definition.input.strict() : definition.input;
  const typed = (args: unknown) => args as z.output<Input>;
  const { effect, upstream, mustAsk, riskOf, alsoSends, outgoing } = definition;
  return {
    name: definition.name,
    aliases: definition.aliases ?? [],
    description: definition.description,
    // If the effect depends on the arguments, the catalogue shows the strongest one.
    effect: typeof effect === "function" ? "write" : effect,
    retry: definition.retry,
    trust: definition.trust ?? "untrusted",
    parameters: z.toJSONSchema(input, { io: "input" }) as JsonSchema,
    spellings: definition.spellings ?? {},
    timeoutMs: definition.timeoutMs,
    limit: definition.limit,
    parallel: definition.parallel ?? true,
    streaming: definition.streaming ?? false,
    ...(definition.sessionOnly && { sessionOnly: true }),
    ...(definition.lasting && { lasting: true }),
    shown: definition.shown,
    task: definition.task,
    modelRole: definition.modelRole,
    parse: (args) => parseWith(input, args),
    effectOf: (args) => (typeof effect === "function" ? effect(typed(args)) : effect),
    preview: async (args, context) => definition.preview?.(typed(args), context),
    run: async (args, context) => toOutput(await definition.run(typed(args), context), definition.trust),
    available: (settings) => definition.available?.(settings) ?? true,
    ...(riskOf && { riskOf: (args: unknown) => riskOf(typed(args)) }),
    ...(alsoSends && { alsoSends: (args: unknown, context: ToolContext) => alsoSends(typed(args), context) }),
    ...(outgoing && { outgoing: (args: unknown) => outgoing(typed(args)) }),
    ...(mustAsk && { mustAsk: (args: unknown, context: ToolContext) => mustAsk(typed(args), context) }),
    ...(upstream && { upstream: (args: unknown, context: ToolContext) => upstream(typed(args), context) }),
    cacheSeconds: definition.cacheSeconds,
    undo: definition.undo,
  };
}

/** Checks arguments against a schema; a wrong one is data, not an error. */
export function parseWith(schema: z.ZodType, args: unknown): Parsed {
  const parsed = schema.safeParse(args, { error: inPlainWords });
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, issues: shownIssues(parsed.error) };
}

/** A tool may answer a string, a `ToolOutput`, a result in the form of MCP, or any JSON value, which becomes its text. */
function toOutput(answer: unknown, trust: Trust | undefined): ToolOutput {
  if (typeof answer === "string") return { output: answer };
  if (isToolOutput(answer)) return fromPerson(answer, trust);
  const content = isObject(answer) ? contentFrom(answer.content) : [];
  if (isObject(answer) && content.length > 0) {
    const { structuredContent: data, isError } = answer;
    return finished({ output: textOfContent(content), data }, content, isError, trust);
  }
  return { output: answer === undefined ? "" : JSON.stringify(answer, null, 2), data: answer };
}

/** People's own tools may report an error, and add resources, which the model reads below the text. */
function fromPerson(
  {
    isError,
    resources,
    audio,
    content: _,
    ...output
  }: ToolOutput & { isError?: unknown; resources?: unknown; audio?: unknown },
  trust: Trust | undefined,
): ToolOutput {
  const added = [
    ...soundBlocks(audio),
    ...(Array.isArray(resources) ? resources.flatMap(resourceBlock) : []),
  ];
  if (added.length === 0) return finished(output, undefined, isError, trust);
  const images = (output.images ?? []).map(({ mimeType, base64 }) => ({
    type: "image",
    mimeType,
    data: base64,
  }));
  const own = output.output === "" ? [] : [{ type: "text", text: output.output }];
  const content = contentFrom([...own, ...images, ...added]);
  return finished({ ...output, output: textOfContent(content) }, content, isError, trust);
}

function finished(
  output: ToolOutput,
  content: ContentBlock[] | undefined,
  isError: unknown,
  trust: Trust | undefined,
): ToolOutput {
  if (isError === true) {
    const words = output.output.trim().slice(0, MAX_ERROR) || "It reports an error without a reason.";
    throw new Failure("TOOL_FAILED", words, { untrusted: trust !== "trusted" });
  }
  if (!content) return output;
  const images = imagesOfContent(content);
  return { ...output, content, ...(images.length > 0 ? { images } : {}) };
}

function soundBlocks(audio: unknown): ContentBlock[] {
  if (!Array.isArray(audio)) return [];
  return contentFrom(audio.map(({ mimeType, base64 }) => ({ type: "audio", mimeType, data: base64 })));
}

function isToolOutput(answer: unknown): answer is ToolOutput {
  return typeof answer === "object" && answer !== null && typeof (answer as ToolOutput).output === "string";
}
