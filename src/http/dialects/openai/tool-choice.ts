import { isObject, type JsonObject } from "../../../protocol/json.ts";
import { refused, unsupported } from "./errors.ts";
import {
  type Body,
  missing,
  notAmong,
  readChoice,
  readList,
  readObject,
  readText,
  wrongType,
} from "./fields.ts";
import { memberName } from "./tool-forms.ts";
import { isOffered, limited, type OfferedTools } from "./tools.ts";

/** A choice among the tools of a request. Only the tools of `offered` may be called. */
export interface ReadToolChoice {
  toolChoice: string | undefined;
  offered: OfferedTools;
  /** The choice as it came, if it forces a tool that only some vendors have. */
  forced?: JsonObject;
}

/**
 * Reads `tool_choice`: a word, a tool of the request, or the tools that may be called. A conversation that the request continues
 * may offer more tools: `checkChoice` then looks once they are known.
 */
export function readToolChoice(value: unknown, offered: OfferedTools, continues = false): ReadToolChoice {
  const words = ["none", "auto", "required"];
  if (value === undefined || value === null) return { toolChoice: undefined, offered };
  if (typeof value === "string") {
    // Clients of Mistral and Anthropic have another word for it.
    const word = value === "any" ? "required" : value;
    if (!words.includes(word)) throw notAmong(value, words, "tool_choice");
    if (word === "required" && isEmpty(offered) && !continues) throw withoutTools();
    return { toolChoice: word, offered };
  }
  if (!isObject(value)) throw wrongType("tool_choice", "one of a tool choice or an object", value);
  // Anthropic's clients send the word as a type.
  if (["auto", "any", "none"].includes(String(value.type)))
    return readToolChoice(value.type, offered, continues);
  if (value.type === "allowed_tools") return readAllowedTools(value, offered, continues);
  const name = nameIn(value, "tool_choice");
  if (isOffered(offered, name)) return { toolChoice: name, offered };
  const isNamed = NAMED.has(String(value.type ?? "function"));
  if (continues && isNamed) return { toolChoice: name, offered };
  if (isEmpty(offered)) throw withoutTools();
  if (offered.vendors.some((tool) => isForced(tool, value)))
    return { toolChoice: undefined, offered, forced: value as JsonObject };
  throw isNamed ? notSpecified(name) : notForced(name);
}

/** Throws if the choice names a tool that nothing offers, or if there is none to call. */
export function checkChoice(choice: string | undefined, offered: OfferedTools): void {
  if (choice === undefined || choice === "auto" || choice === "none") return;
  if (isEmpty(offered)) throw withoutTools();
  if (choice !== "required" && !isOffered(offered, choice)) throw notSpecified(choice);
}

function notSpecified(name: string) {
  return refused(
    `Invalid value for 'tool_choice': no function named '${name.slice(0, 100)}' was specified in the 'tools' parameter.`,
    "tool_choice",
  );
}

function isForced({ type, server_label: label }: JsonObject, choice: Body): boolean {
  return type === choice.type && (choice.server_label === undefined || choice.server_label === label);
}

/** The failure for a choice of a tool that the model could not call. */
export function notForced(type: string) {
  return unsupported("tool_choice.type", `Tools of type '${type.slice(0, 60)}' are not offered.`);
}

function readAllowedTools(value: Body, offered: OfferedTools, continues: boolean): ReadToolChoice {
  const nested = readObject(value, "allowed_tools", "tool_choice.allowed_tools");
  const at = nested ? "tool_choice.allowed_tools" : "tool_choice";
  const list = readList(nested ?? value, "tools", `${at}.tools`);
  if (!list) throw missing(`${at}.tools`);
  const names = list.map((one, index) => {
    if (!isObject(one)) throw wrongType(`${at}.tools[${index}]`, "an object", one);
    return nameIn(one, `${at}.tools[${index}]`);
  });
  const allowed = limited(offered, names);
  const toolChoice = readChoice(nested ?? value, "mode", ["auto", "required"], `${at}.mode`) ?? "auto";
  if (toolChoice === "required" && isEmpty(allowed) && !continues) throw withoutTools();
  return { toolChoice, offered: allowed };
}

/** Types of tools that have their own name. */
const NAMED = new Set(["function", "custom", "tackle", "tool"]);

/** Returns the name of the tool that a choice is about, or its type if it has no name. */
function nameIn(value: Body, at: string): string {
  const type = readText(value, "type", `${at}.type`) ?? "function";
  const inner = isObject(value[type]) ? value[type] : value;
  const name = NAMED.has(type) ? inner.name : type.replace(/^web_search_.*/, "web_search");
  if (typeof name !== "string") throw missing(`${at}.${type}.name`);
  return typeof inner.namespace === "string" ? memberName(inner.namespace, name) : name;
}

function isEmpty({ names, optional, specs, vendors }: OfferedTools): boolean {
  return names.length + optional.length + specs.length + vendors.length === 0;
}

function withoutTools() {
  return refused(
    "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    "tool_choice",
  );
}
