import type { Message } from "../../protocol/messages.ts";
import type { ModelRequest, ToolChoice } from "../../protocol/model.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import { formatInWords, planFormat } from "./formats.ts";
import { hashText } from "./hash.ts";

/** OpenAI refuses longer keys of prompt caches. */
const LONGEST_KEY = 64;

/** Returns the request with settings in the range that the model takes, and in words what it takes in no other way. */
export function fitRequest(request: ModelRequest, context: DialectContext): ModelRequest {
  const { maxTemperature, minTopP, maxStops, greedyTopP } = context.quirks;
  const { temperature, topP, maxOutputTokens, stop, cacheKey = "" } = request;
  const most = context.model.maxOutputTokens;
  const { told } = (request.responseFormat && planFormat(request, context)) ?? {};
  return withToolChoice(
    {
      ...request,
      ...(request.responseFormat &&
        told && { messages: tell(request.messages, formatInWords(request.responseFormat)) }),
      ...(temperature !== undefined &&
        maxTemperature !== undefined && { temperature: Math.min(temperature, maxTemperature) }),
      ...(topP !== undefined && minTopP !== undefined && { topP: Math.max(topP, minTopP) }),
      ...(temperature === 0 && greedyTopP && { topP: 1 }),
      ...(cacheKey.length > LONGEST_KEY && { cacheKey: hashText(cacheKey) }),
      ...(maxOutputTokens !== undefined && {
        maxOutputTokens: Math.max(1, Math.min(Math.trunc(maxOutputTokens), most ?? maxOutputTokens)),
      }),
      // The answer ends at a stop text here too, so those that cannot be sent are not lost.
      ...(stop && { stop: atLeastOne(stop.filter((text) => text !== "").slice(0, maxStops)) }),
    },
    context,
  );
}

function atLeastOne(stops: string[]): string[] | undefined {
  return stops.length > 0 ? stops : undefined;
}

/** Returns what a choice that the model cannot be given as a parameter tells it to call. Undefined if it can. */
export function choiceInWords(
  { tools, toolChoice: choice = "auto" }: Pick<ModelRequest, "tools" | "toolChoice">,
  context: DialectContext,
): { tool: string } | "any" | undefined {
  if (tools.length === 0 || choice === "auto" || choice === "none" || knowsChoice(choice, context))
    return undefined;
  return choice === "required" ? "any" : choice;
}

function knowsChoice(choice: ToolChoice, context: DialectContext): boolean {
  const { toolChoices, refuses = [], thinksUnasked, thinkingOff } = context.quirks;
  if (refuses.includes("tool_choice") || refuses.includes("toolConfig")) return false;
  // A model cannot be forced while it thinks.
  if (choice !== "none" && thinksUnasked && thinkingOff !== "disabled") return false;
  return !toolChoices || toolChoices.includes(typeof choice === "string" ? choice : "function");
}

/** A choice that the model does not know is left out. No call is then asked for by offering no tools, a call in words. */
function withToolChoice(request: ModelRequest, context: DialectContext): ModelRequest {
  const { toolChoice, ...rest } = request;
  if (toolChoice === "none") {
    return knowsChoice(toolChoice, context) ? request : { ...rest, tools: [] };
  }
  const told = choiceInWords(request, context);
  if (told === undefined) return request;
  const what = told === "any" ? "one of the tools" : `the tool ${told.tool}`;
  return { ...rest, messages: tell(rest.messages, `Answer this by calling ${what}, not with text.`) };
}

/** Adds a line to the person's newest message. What comes before stays the same, so that vendors' caches work. */
export function tell(messages: readonly Message[], line: string): Message[] {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const part = { type: "text" as const, text: `\n\n${line}` };
  const told = messages[at];
  if (!told) return [...messages, { id: "told", role: "user", parts: [part] }];
  return messages.with(at, { ...told, parts: [...told.parts, part] });
}
