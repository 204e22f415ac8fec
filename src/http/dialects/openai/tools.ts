import { isObject, type JsonObject } from "../../../protocol/json.ts";
import type { ToolSpec } from "../../../protocol/model.ts";
import { loadable } from "./deferred-tools.ts";
import {
  type Body,
  checkLength,
  missing,
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
  /** Names of the tools that may be called, if the client has chosen among them. */
  allowed?: readonly string[];
  /** Tools that the conversation itself offers, but that may not be called now. */
  withheld?: ToolSpec[];
}

/** Names server tools, or `all`, for clients that can send only specifications. */
export const TOOLS_HEADER = "x-tackle-tools";

/** The most tools of a request. */
export const MOST_TOOLS = 512;
/** As OpenAI's, plus the dot that our names can contain, and longer: they are shortened for vendors that need it. */
export const TOOL_NAME = /^[a-zA-Z0-9_.-]{1,128}$/;
/** Types whose calls only a client could run that takes them in their own form. */
const NOT_CARRIED_OUT = /^(computer|tool_search)/;

/** Reads `tools`: names, specifications or both. Chat Completions nest the specification under `function`. */
export function readTools(list: unknown[] | undefined, flat: boolean, named = ""): OfferedTools {
  const offered: OfferedTools = { names: namesIn(named), optional: [], specs: [], vendors: [], leftOut: [] };
  checkLength(list, "tools", MOST_TOOLS);
  const asOffered = loadable(flat && list ? list : []);
  for (const [index, tool] of (list ?? []).entries()) {
    const shown = asOffered(tool);
    if (shown !== undefined) readTool(shown, `tools[${index}]`, flat, offered);
  }
  checkLength(offered.specs, "tools", MOST_TOOLS);
  return withoutDoubles(offered);
}

/** Agents with several MCP servers offer tools twice. A model could not tell them apart, and some vendors refuse them. */
function withoutDoubles(offered: OfferedTools): OfferedTools {
  const first = new Map(offered.specs.toReversed().map((spec) => [spec.name, spec]));
  const isFirst = (spec: ToolSpec) => first.get(spec.name) === spec;
  const doubled = new Set(offered.specs.filter((spec) => !isFirst(spec)).map(({ name }) => name));
  const sentences = [...doubled].map(
    (name) => `Several tools have the name ${name}. The first one is offered.`,
  );
  return {
    ...offered,
    specs: offered.specs.filter(isFirst),
    leftOut: [...offered.leftOut, ...sentences],
  };
}

/** Adds tools that the conversation itself offers. */
export function withFound(offered: OfferedTools, found: unknown[]): OfferedTools {
  if (found.length === 0) return offered;
  const { specs, optional, vendors, leftOut } = readTools(found, true);
  const mayCall = callable(offered.allowed);
  return {
    ...withAdded(offered, specs),
    optional: [...new Set([...offered.optional, ...optional.filter(mayCall)])],
    vendors: [...offered.vendors, ...vendors.filter(({ type }) => mayCall(String(type)))],
    leftOut: [...offered.leftOut, ...leftOut],
  };
}

/** Adds tools that an earlier turn of the conversation has offered. */
export function withAdded(offered: OfferedTools, specs: readonly ToolSpec[]): OfferedTools {
  const isKnown = (name: string) => offered.withheld?.some((spec) => spec.name === name);
  const fresh = specs
    .filter(({ name }) => !isOffered(offered, name) && !isKnown(name))
    .map((spec) => ({ ...spec, added: true as const }));
  return limited({ ...offered, specs: [...offered.specs, ...fresh] }, offered.allowed);
}

/** Leaves only the tools that may be called. Those of the conversation are kept for its later turns. */
export function limited(offered: OfferedTools, allowed: readonly string[] | undefined): OfferedTools {
  if (!allowed) return offered;
  const { names, optional, specs, vendors, withheld = [] } = offered;
  const mayCall = callable(allowed);
  return {
    ...offered,
    allowed,
    names: names.filter(mayCall),
    optional: optional.filter(mayCall),
    specs: specs.filter(({ name }) => mayCall(name)),
    vendors: vendors.filter(({ type }) => mayCall(String(type))),
    withheld: [...withheld, ...specs.filter(({ name, added }) => added && !mayCall(name))],
  };
}

function callable(allowed: readonly string[] | undefined): (name: string) => boolean {
  return (name) => allowed?.includes(name) ?? true;
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
  const type = impliedType(tool) ?? requireText(tool, "type", at);
  if (type === "function") offered.specs.push(readFunction(tool, at, isFlat(tool, type, flat)));
  else if (type === "tackle") offered.names.push(requireText(tool, "name", at));
  else if (type === "custom") offered.specs.push(readCustom(tool, at, isFlat(tool, type, flat)));
  else if (type === "namespace" && flat) readNamespace(tool, at, offered);
  else if (flat && /^web_search(_|$)/.test(type)) offered.optional.push("web_search");
  else {
    const spec = flat ? typedTool(tool, type) : undefined;
    if (spec) offered.specs.push(spec);
    // What it would load is offered at once.
    else if (flat && type === "tool_search") return;
    else if (NOT_CARRIED_OUT.test(type)) offered.leftOut.push(notOffered(type));
    else offered.vendors.push(tool as JsonObject);
  }
}

/** Some clients leave out the type of a function, or send it in Anthropic's form. */
function impliedType({ type, function: inner, name, input_schema }: Body): string | undefined {
  const isNamed = typeof name === "string";
  if (isNamed && isObject(input_schema) && (type ?? "custom") === "custom") return "function";
  return type === undefined && (isObject(inner) || isNamed) ? "function" : undefined;
}

/** Some clients send tools in the form of Responses to Chat Completions, and the other way round. */
function isFlat(tool: Body, type: string, flat: boolean): boolean {
  if (isObject(tool[type])) return false;
  return flat || typeof tool.name === "string";
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
    parameters: readObject(inner, "parameters", `${where}.parameters`) ??
      readObject(inner, "input_schema") ?? { type: "object", properties: {} },
    strict,
  };
}

function readCustom(tool: Body, at: string, flat: boolean): ToolSpec {
  const { inner, where } = innerOf(tool, "custom", at, flat);
  const name = requireName(inner, where, TOOL_NAME);
  const format = readObject(inner, "format", `${where}.format`);
  // Chat Completions have the grammar in its own field.
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
    if (member.type !== "function" && member.type !== "custom") {
      offered.leftOut.push(notOffered(`${namespace}.${String(member.type)}`));
      continue;
    }
    const spec =
      member.type === "custom" ? readCustom(member, where, true) : readFunction(member, where, true);
    const { name, form } = spec;
    const inGroup = { namespace, name };
    offered.specs.push({
      ...spec,
      name: memberName(namespace, name),
      description: [about, spec.description].filter(Boolean).join("\n\n"),
      form: form?.type === "custom" ? { ...form, member: inGroup } : { type: "namespace", ...inGroup },
    });
  }
}

/** True if the model is offered a tool of that name. */
export function isOffered({ names, optional, specs }: OfferedTools, name: string): boolean {
  return names.includes(name) || optional.includes(name) || specs.some((spec) => spec.name === name);
}
