import { isObject, type JsonObject } from "../../../protocol/json.ts";
import type { ToolSpec } from "../../../protocol/model.ts";
import { refused, unsupported } from "./errors.ts";
import {
  type Body,
  checkLength,
  missing,
  notAmong,
  readChoice,
  readFlag,
  readList,
  readObject,
  readText,
  requireName,
  requireText,
  wrongType,
} from "./fields.ts";
import { customTool, memberName, typedTool } from "./tool-forms.ts";

/** The tools of a request. */
export interface OfferedTools {
  /** Names of the server's tools. */
  names: string[];
  /** The same, for tools that the client asks for without knowing the server. */
  optional: string[];
  /** Specifications of the client's own tools. */
  specs: ToolSpec[];
  /** Tools of a type that only some vendors know, as they came. */
  vendors: JsonObject[];
  /** What is left out whatever the vendor, in sentences. */
  leftOut: string[];
}

/** Names server tools, or `all`, for clients that can send only specifications. */
export const TOOLS_HEADER = "x-tackle-tools";

const MOST_TOOLS = 512;
/** As OpenAI's, plus the dot that our names can contain, and longer: they are shortened for vendors that need it. */
const TOOL_NAME = /^[a-zA-Z0-9_.-]{1,128}$/;
/** Types whose calls only a client could run that takes them in a form of their own. */
const NOT_CARRIED_OUT = /^(computer|tool_search)/;

/** Reads `tools`: names, specifications or both. Chat Completions nest the specification under `function`. */
export function readTools(list: unknown[] | undefined, flat: boolean, named = ""): OfferedTools {
  const offered: OfferedTools = { names: namesIn(named), optional: [], specs: [], vendors: [], leftOut: [] };
  checkLength(list, "tools", MOST_TOOLS);
  for (const [index, tool] of (list ?? []).entries()) readTool(tool, `tools[${index}]`, flat, offered);
  const { specs } = offered;
  checkLength(specs, "tools", MOST_TOOLS);
  const doubled = specs.find(({ name }, index) => specs.findIndex((spec) => spec.name === name) !== index);
  if (doubled) throw refused(`Two tools have the name '${doubled.name}'.`, "tools");
  return offered;
}

/** Adds tools that a search of the client's has found. */
export function withFound(offered: OfferedTools, found: unknown[]): OfferedTools {
  const { specs } = found.length > 0 ? readTools(found, true) : { specs: [] };
  const fresh = specs.filter(({ name }) => !isOffered(offered, name));
  return { ...offered, specs: [...offered.specs, ...fresh] };
}

function namesIn(header: string): string[] {
  return header
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function readTool(tool: unknown, at: string, flat: boolean, offered: OfferedTools): void {
  if (typeof tool === "string") {
    offered.names.push(tool);
    return;
  }
  if (!isObject(tool)) throw wrongType(at, "an object", tool);
  const type = requireText(tool, "type", at);
  if (type === "function") offered.specs.push(readFunction(tool, at, flat));
  else if (type === "tackle") offered.names.push(requireText(tool, "name", at));
  else if (type === "custom") offered.specs.push(readCustom(tool, at, flat));
  else if (type === "namespace" && flat) readNamespace(tool, at, offered);
  else if (flat && /^web_search(_|$)/.test(type)) offered.optional.push("web_search");
  else {
    const spec = flat ? typedTool(tool, type) : undefined;
    if (spec) offered.specs.push(spec);
    else if (NOT_CARRIED_OUT.test(type)) offered.leftOut.push(notOffered(type));
    else offered.vendors.push(tool as JsonObject);
  }
}

/** The sentence that a tool of a type is left out. */
function notOffered(type: string): string {
  return `Tools of type ${type.slice(0, 60)} are not offered here.`;
}

function readFunction(tool: Body, at: string, flat: boolean): ToolSpec {
  const { inner, where } = innerOf(tool, "function", at, flat);
  const name = requireName(inner, where, TOOL_NAME);
  const strict = readFlag(inner, "strict", `${where}.strict`);
  return {
    name,
    description: readText(inner, "description", `${where}.description`) ?? "",
    parameters: readObject(inner, "parameters", `${where}.parameters`) ?? { type: "object", properties: {} },
    strict,
  };
}

function readCustom(tool: Body, at: string, flat: boolean): ToolSpec {
  const { inner, where } = innerOf(tool, "custom", at, flat);
  const name = requireName(inner, where, TOOL_NAME);
  const format = readObject(inner, "format", `${where}.format`);
  // Chat Completions have the grammar in a field of its own.
  const grammar = isObject(format?.grammar) ? { type: format.type, ...format.grammar } : format;
  return customTool(name, readText(inner, "description", `${where}.description`) ?? "", grammar);
}

function innerOf(tool: Body, field: string, at: string, flat: boolean): { inner: Body; where: string } {
  const where = flat ? at : `${at}.${field}`;
  const inner = flat ? tool : readObject(tool, field, where);
  if (!inner) throw missing(where);
  return { inner, where };
}

/** Offers the tools of a group under names that begin with the group's. */
function readNamespace(tool: Body, at: string, offered: OfferedTools): void {
  const namespace = requireName(tool, at, TOOL_NAME);
  const about = readText(tool, "description", `${at}.description`) ?? "";
  for (const [index, member] of (readList(tool, "tools", `${at}.tools`) ?? []).entries()) {
    const where = `${at}.tools[${index}]`;
    if (!isObject(member)) throw wrongType(where, "an object", member);
    if (member.type !== "function") {
      offered.leftOut.push(notOffered(`${namespace}.${String(member.type)}`));
      continue;
    }
    const spec = readFunction(member, where, true);
    const { name } = spec;
    offered.specs.push({
      ...spec,
      name: memberName(namespace, name),
      description: [about, spec.description].filter(Boolean).join("\n\n"),
      form: { type: "namespace", namespace, name },
    });
  }
}

/** A choice among the tools of a request. Only the tools of `offered` may be called. */
export interface ReadToolChoice {
  toolChoice: string | undefined;
  offered: OfferedTools;
}

/** Reads `tool_choice`: a word, a tool of the request, or the tools that may be called. */
export function readToolChoice(value: unknown, offered: OfferedTools): ReadToolChoice {
  const words = ["none", "auto", "required"];
  if (value === undefined || value === null) return { toolChoice: undefined, offered };
  if (typeof value === "string") {
    if (!words.includes(value)) throw notAmong(value, words, "tool_choice");
    if (value === "required" && isEmpty(offered)) throw withoutTools();
    return { toolChoice: value, offered };
  }
  if (!isObject(value)) throw wrongType("tool_choice", "one of a tool choice or an object", value);
  if (value.type === "allowed_tools") return readAllowedTools(value, offered);
  const name = nameIn(value, "tool_choice");
  if (isOffered(offered, name)) return { toolChoice: name, offered };
  if (isEmpty(offered)) throw withoutTools();
  if (!NAMED.has(String(value.type ?? "function")))
    throw unsupported("tool_choice.type", `Tools of type '${name.slice(0, 60)}' are not offered.`);
  throw refused(
    `Invalid value for 'tool_choice': no function named '${name.slice(0, 100)}' was specified in the 'tools' parameter.`,
    "tool_choice",
  );
}

function readAllowedTools(value: Body, offered: OfferedTools): ReadToolChoice {
  const nested = readObject(value, "allowed_tools", "tool_choice.allowed_tools");
  const at = nested ? "tool_choice.allowed_tools" : "tool_choice";
  const list = readList(nested ?? value, "tools", `${at}.tools`);
  if (!list) throw missing(`${at}.tools`);
  const names = list.map((one, index) => {
    if (!isObject(one)) throw wrongType(`${at}.tools[${index}]`, "an object", one);
    return nameIn(one, `${at}.tools[${index}]`);
  });
  const isAllowed = (name: string) => names.includes(name);
  const allowed = {
    ...offered,
    names: offered.names.filter(isAllowed),
    optional: offered.optional.filter(isAllowed),
    specs: offered.specs.filter(({ name }) => isAllowed(name)),
    vendors: offered.vendors.filter(({ type }) => isAllowed(String(type))),
  };
  const toolChoice = readChoice(nested ?? value, "mode", ["auto", "required"], `${at}.mode`) ?? "auto";
  if (toolChoice === "required" && isEmpty(allowed)) throw withoutTools();
  return { toolChoice, offered: allowed };
}

/** Types of tools that have a name of their own. */
const NAMED = new Set(["function", "custom", "tackle"]);

/** Returns the name of the tool that a choice is about, or its type if it has no name. */
function nameIn(value: Body, at: string): string {
  const type = readText(value, "type", `${at}.type`) ?? "function";
  const inner = isObject(value[type]) ? value[type] : value;
  const name = NAMED.has(type) ? inner.name : type.replace(/^web_search_.*/, "web_search");
  if (typeof name !== "string") throw missing(`${at}.${type}.name`);
  return typeof inner.namespace === "string" ? memberName(inner.namespace, name) : name;
}

function isOffered({ names, optional, specs }: OfferedTools, name: string): boolean {
  return names.includes(name) || optional.includes(name) || specs.some((spec) => spec.name === name);
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
