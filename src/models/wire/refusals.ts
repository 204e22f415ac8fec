import { isObject, type JsonObject } from "../../protocol/json.ts";
import type { ModelWarning } from "../../protocol/model.ts";
import type { DialectContext } from "../../protocol/provider.ts";
import { vendorOf } from "./failures.ts";

/** What a vendor refused: a field of the body, reasoning that went back with the history, or images. */
export type Refused =
  | { what: "field"; path: string /** As a quirk, if it holds for other requests too. */; lasting?: string }
  | { what: "replay" }
  | { what: "images" };

/** Without these there is no request. */
const ESSENTIAL = new Set(
  ["model", "messages", "input", "contents", "prompt", "system", "systemInstruction", "instructions"].concat([
    "tools",
    "stream",
    "store",
    "generationConfig",
    "options",
  ]),
);
/** Objects whose fields can be left out one by one. */
const CONTAINERS = ["generationConfig", "options", "reasoning", "text", "output_config"];

const REFUSING =
  /unsupported|not (?:be )?(?:currently |yet )?(?:support|permit|allow|recogni|accept|available|compatible|valid)|n't (?:support|accept|allow|take)|does not (?:take|accept)|unknown|unrecognized|unexpected|extra|invalid|only|deprecated|cannot|must|no longer|unavailable|removed|too (?:large|many|high)|at most|exceed/i;
/** It would be refused with any other value too. */
const LASTING =
  /unsupported|not (?:be )?(?:currently |yet )?(?:support|permit|allow|recogni|available)|n't support|does not (?:take|accept)|unknown|unrecognized|unexpected|extra|deprecated|no longer|unavailable|removed/i;
const ABOUT_SCHEMA = /invalid.{0,30}schema|schema.{0,40}(?:invalid|must|too|missing|required)/i;
const ABOUT_REPLAY =
  /signature|redacted_thinking|thinking.{0,20}block|encrypted.?content|reasoning.{0,40}(?:item|without its)|item.{0,60}reasoning/i;
/** The message is about the conversation or the tools, whatever else it names. */
const ABOUT_CONTENT =
  /(?:^|\s)(?:messages|input|contents|tools)[.[]|function_declarations|for function|tool_use_id|tool_call_id/i;

/** The model cannot call tools at all, as vendors of open models say it. */
const NO_TOOLS =
  /(?:not|n't|found that) support (?:tools|tool.?(?:use|call)|function.?call)|(?:function|tool) calling is not enabled|enable-auto-tool-choice|tools param requires/i;

/** What vendors say in plain words about fields that they name differently. */
const PLAIN_WORDS: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /structured.?output|json.?schema|response.?format|json.?mode|json response|output.?format|response.?mime/i,
    ["responseformat", "format", "responsejsonschema", "responsemimetype"],
  ],
  [/tool.?choice|forc\w+ tool|function.?calling.?config/i, ["toolchoice", "toolconfig"]],
  [/parallel.?(?:tool|function)/i, ["paralleltoolcalls"]],
  [/\beffort/i, ["effort", "reasoningeffort"]],
  [/thinking|thoughts/i, ["thinking", "thinkingconfig", "think"]],
  [/reasoning/i, ["reasoning", "reasoningeffort"]],
  [/temperature/i, ["temperature"]],
  [/verbosity/i, ["verbosity"]],
  [/stop sequence/i, ["stop", "stopsequences"]],
];

/** Reads from an error what can be left out so that the same request is accepted. Undefined if nothing is named. */
export function readRefusal(
  status: number,
  text: string,
  body: JsonObject,
  required: readonly string[] = [],
): Refused | undefined {
  // Local servers answer with 500 if they were started without what tools need.
  if (![400, 404, 422, 500].includes(status)) return undefined;
  const { sentences, named } = readError(text);
  const message = sentences.join(" ");
  if (NO_TOOLS.test(message) && "tools" in body) return { what: "field", path: "tools", lasting: "tools" };
  if (status === 500) return undefined;
  const fields = fieldsOf(body, required);
  if (/previous.?response/i.test(`${message} ${named.join(" ")}`))
    return "previous_response_id" in body ? { what: "field", path: "previous_response_id" } : undefined;
  if (status === 404) return undefined;
  if (ABOUT_REPLAY.test(message) && !named.some((name) => fields.includes(name))) return { what: "replay" };
  const aboutContent = [message, ...named].some((one) => ABOUT_CONTENT.test(one));
  if (aboutContent || (named.length === 0 && !REFUSING.test(message))) return undefined;
  const path = findField(fields, named, sentences);
  if (path === undefined) return undefined;
  // What clients want included differs from request to request.
  const { include } = body;
  const isOurs = path !== "include" || !Array.isArray(include) || include.length < 2;
  const lasts = isOurs && LASTING.test(message) && !ABOUT_SCHEMA.test(message);
  return { what: "field", path, ...(lasts && { lasting: withValue(path, body, message) }) };
}

/** Returns what an error says, and the fields that it names outside of its sentence. */
function readError(text: string): { sentences: string[]; named: string[] } {
  const named: string[] = [];
  const sentences: string[] = [];
  const collect = (value: unknown, key: string, depth: number): void => {
    if (typeof value === "string") {
      if (key === "param" || key === "field") named.push(value);
      else sentences.push(value);
    } else if (Array.isArray(value)) {
      if (key === "loc") named.push(value.filter((step) => step !== "body").join("."));
      else for (const one of value) collect(one, "", depth + 1);
    } else if (isObject(value) && depth < 6) {
      for (const [inner, one] of Object.entries(value)) collect(one, inner, depth + 1);
    }
  };
  try {
    collect(JSON.parse(text), "", 0);
  } catch {
    sentences.push(text);
  }
  return { sentences: sentences.map((sentence) => sentence.slice(0, 4_000)), named };
}

function fieldsOf(body: JsonObject, required: readonly string[]): string[] {
  const fields = Object.keys(body).filter((name) => !ESSENTIAL.has(name) && !required.includes(name));
  const inner = CONTAINERS.flatMap((name) => {
    const value = body[name];
    return isObject(value) ? Object.keys(value).map((key) => `${name}.${key}`) : [];
  });
  return [...inner, ...fields];
}

/** Returns the field that an error is about, the most exact one first. */
function findField(
  fields: readonly string[],
  named: readonly string[],
  sentences: readonly string[],
): string | undefined {
  const words = [...named, ...sentences.flatMap(namesIn)].map(plain);
  const exact = (field: string) =>
    words.some((word) => word === plain(field) || word.startsWith(`${plain(field)}.`));
  const found = fields.find(exact) ?? fields.find((field) => words.includes(leafOf(field)));
  if (found !== undefined) return found;
  const said = [...sentences, ...named].join(" ");
  const leaves = PLAIN_WORDS.flatMap(([pattern, names]) => (pattern.test(said) ? names : []));
  return fields.find((field) => leaves.includes(leafOf(field)));
}

/** Returns the words of a sentence that are names: quoted, before a colon, after "parameter", or spelled like a name. */
function namesIn(message: string): string[] {
  const patterns = [
    /['"`“‘]([\w.[\]]{2,60})['"`”’]/g,
    /(?:^|\s)([\w.]{2,60}):\s/g,
    /\b(?:parameters?|arguments?|fields?|propert(?:y|ies)|name)\b\W{0,3}([\w.]{2,60})/gi,
    /:\s*([\w.]{2,60})\W*$/g,
    /\b(\w+_\w+(?:\.\w+)*)\b/g,
    /\b([a-z]+[A-Z]\w+)\b/g,
  ];
  return patterns.flatMap((pattern) => [...message.matchAll(pattern)].map(([, name = ""]) => name));
}

/** Vendors spell the same field `top_p`, `topP` and `top-p`. */
function plain(name: string): string {
  return name.replace(/[_-]/g, "").toLowerCase();
}

function leafOf(path: string): string {
  return plain(path.slice(path.lastIndexOf(".") + 1));
}

/** If the message quotes the value, only that value is refused. */
function withValue(path: string, body: JsonObject, message: string): string {
  let value: unknown = body;
  for (const step of path.split(".")) value = isObject(value) ? value[step] : undefined;
  const quoted =
    typeof value === "string" && ["'", '"', "`"].some((mark) => message.includes(mark + value + mark));
  return quoted ? `${path}=${value}` : path;
}

/** Settings that a person asks for. Others are our own business. */
const ASKED_FOR =
  /^(temperature|topp|topk|seed|randomseed|frequencypenalty|presencepenalty|verbosity|reasoningeffort|effort|max\w*tokens|paralleltoolcalls)$/;

/** Returns the warning that a setting was left out, if a person can have asked for it. */
export function leftOut(path: string, context: DialectContext): ModelWarning[] {
  if (!ASKED_FOR.test(leafOf(path))) return [];
  const name = path.slice(path.lastIndexOf(".") + 1);
  const message = `${vendorOf(context)} does not accept “${name}” for ${context.model.name}, so it was left out.`;
  return [{ type: "warning", code: "PARAMETER_LEFT_OUT", message }];
}
