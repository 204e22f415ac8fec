import { isObject } from "../../../protocol/json.ts";
import type { ToolSpec } from "../../../protocol/model.ts";
import { refused, unsupported } from "./errors.ts";
import {
  type Body,
  checkLength,
  missing,
  notAmong,
  readFlag,
  readObject,
  readText,
  requireName,
  requireText,
  wrongType,
} from "./fields.ts";

/** The tools of a request: names of the server's tools, and specifications of any tools. */
export interface OfferedTools {
  names: string[];
  specs: ToolSpec[];
}

const MOST_TOOLS = 512;
/** As OpenAI's, plus the dot that our names can contain. */
const TOOL_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Reads `tools`: names, specifications or both. Chat Completions nest the specification under `function`. */
export function readTools(list: unknown[] | undefined, flat: boolean): OfferedTools {
  const names: string[] = [];
  const specs: ToolSpec[] = [];
  checkLength(list, "tools", MOST_TOOLS);
  for (const [index, tool] of (list ?? []).entries()) {
    const at = `tools[${index}]`;
    if (typeof tool === "string") names.push(tool);
    else if (!isObject(tool)) throw wrongType(at, "an object", tool);
    else if (flat && /^web_search(_|$)/.test(String(tool.type))) names.push("web_search");
    else specs.push(readSpec(tool, at, flat));
  }
  const doubled = specs.find(({ name }, index) => specs.findIndex((spec) => spec.name === name) !== index);
  if (doubled) throw refused(`Two tools have the name '${doubled.name}'.`, "tools");
  return { names, specs };
}

function readSpec(tool: Body, at: string, flat: boolean): ToolSpec {
  const type = requireText(tool, "type", at);
  if (type !== "function") {
    if (/^[a-z_0-9]+$/.test(type))
      throw unsupported(`${at}.type`, `Tools of type '${type}' are not offered.`);
    throw notAmong(type, ["function"], `${at}.type`);
  }
  const inner = flat ? tool : readObject(tool, "function", `${at}.function`);
  const where = flat ? at : `${at}.function`;
  if (!inner) throw missing(where);
  const name = requireName(inner, where, TOOL_NAME);
  const strict = readFlag(inner, "strict", `${where}.strict`);
  return {
    name,
    description: readText(inner, "description", `${where}.description`) ?? "",
    parameters: readObject(inner, "parameters", `${where}.parameters`) ?? { type: "object", properties: {} },
    strict,
  };
}

/** Reads `tool_choice`: `auto`, `none`, `required` or the name of a tool of the request. */
export function readToolChoice(value: unknown, offered: OfferedTools): string | undefined {
  if (value === undefined || value === null) return undefined;
  const words = ["none", "auto", "required"];
  if (typeof value === "string") {
    if (!words.includes(value)) throw notAmong(value, words, "tool_choice");
    if (value === "required" && offered.names.length + offered.specs.length === 0) throw withoutTools();
    return value;
  }
  if (!isObject(value)) throw wrongType("tool_choice", "one of a tool choice or an object", value);
  if (value.type !== "function")
    throw unsupported("tool_choice.type", "Name a function, or use none, auto or required.");
  const name = isObject(value.function) ? value.function.name : value.name;
  if (typeof name !== "string") throw missing("tool_choice.function.name");
  const known = offered.names.includes(name) || offered.specs.some((spec) => spec.name === name);
  if (known) return name;
  if (offered.names.length + offered.specs.length === 0) throw withoutTools();
  throw refused(
    `Invalid value for 'tool_choice': no function named '${name.slice(0, 100)}' was specified in the 'tools' parameter.`,
    "tool_choice",
  );
}

function withoutTools() {
  return refused(
    "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    "tool_choice",
  );
}
