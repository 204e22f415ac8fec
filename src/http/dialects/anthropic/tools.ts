import { isObject, type JsonObject } from "../../../protocol/json.ts";
import type { ToolSpec } from "../../../protocol/model.ts";
import { MOST_TOOLS, TOOL_NAME } from "../openai/tools.ts";
import { refused } from "./errors.ts";
import { type Body, objectsIn, readList, readObject, readText, required } from "./fields.ts";

/** The tools of a request. */
export interface OfferedTools {
  /** Names of the server's tools. */
  names: string[];
  /** The same, for tools that their vendor would run: they run here, if the server has them. */
  optional: string[];
  /** The client's own tools. */
  specs: ToolSpec[];
  /** Names of tools that only their vendor has. */
  hosted: string[];
}

const text = (description: string) => ({ type: "string", description });
const choice = (...values: string[]) => ({ type: "string", enum: values });
const point = { type: "array", items: { type: "integer" }, description: "x and y, in pixels." };

const editing = {
  file_text: text("The whole text, for `create`."),
  old_str: text("The text to replace."),
  new_str: text("The text that replaces it."),
  insert_line: { type: "integer", description: "The line after which to insert." },
  insert_text: text("The text to insert."),
};

/** Tools that clients run themselves and declare by their type, because their vendor's models know them. */
const TYPED: readonly (readonly [RegExp, Pick<ToolSpec, "description" | "parameters">])[] = [
  [
    /^bash_/,
    {
      description: "Runs a command in a shell that stays open, and returns what it prints.",
      parameters: {
        type: "object",
        properties: {
          command: text("The command to run."),
          restart: { type: "boolean", description: "Starts the shell again instead." },
        },
      },
    },
  ],
  [
    /^text_editor_/,
    {
      description:
        "Views, creates and changes files. `str_replace` replaces `old_str`, which must occur exactly once, with `new_str`.",
      parameters: {
        type: "object",
        properties: {
          command: choice("view", "create", "str_replace", "insert"),
          path: text("The path of the file or folder."),
          view_range: { type: "array", items: { type: "integer" }, description: "The first and last line." },
          ...editing,
        },
        required: ["command", "path"],
      },
    },
  ],
  [
    /^memory_/,
    {
      description: "Keeps notes between conversations as files below /memories.",
      parameters: {
        type: "object",
        properties: {
          command: choice("view", "create", "str_replace", "insert", "delete", "rename"),
          path: text("The path, below /memories."),
          ...editing,
          old_path: text("The path before, for `rename`."),
          new_path: text("The path after, for `rename`."),
        },
        required: ["command"],
      },
    },
  ],
  [
    /^computer_\d/,
    {
      description: "Uses the mouse and the keyboard of a computer, and takes pictures of its screen.",
      parameters: {
        type: "object",
        properties: {
          action: text("What to do: screenshot, left_click, type, key, mouse_move, scroll, wait and others."),
          coordinate: point,
          start_coordinate: point,
          text: text("What to type, or the keys to press."),
          duration: { type: "number", description: "In seconds." },
          scroll_direction: choice("up", "down", "left", "right"),
          scroll_amount: { type: "integer" },
        },
        required: ["action"],
      },
    },
  ],
];

/** Tools that their vendor runs, and the tools of ours that do the same. */
const SAME: readonly (readonly [RegExp, string])[] = [
  [/^web_search_/, "web_search"],
  [/^web_fetch_/, "web_fetch"],
];

/** Reads `tools`: names of the server's tools, the client's own, and those that a vendor knows by their type. */
export function readTools(list: readonly unknown[] | undefined, header: string | undefined): OfferedTools {
  const named = (header ?? "").split(",").map((name) => name.trim());
  const offered: OfferedTools = {
    names: named.filter((name) => name !== ""),
    optional: [],
    specs: [],
    hosted: [],
  };
  if (list && list.length > MOST_TOOLS)
    throw refused("tools", `List should have at most ${MOST_TOOLS} items, not ${list.length}`);
  const others = (list ?? []).filter((tool) => typeof tool !== "string" || !offered.names.push(tool));
  for (const [index, tool] of objectsIn(others, "tools").entries()) readTool(tool, `tools.${index}`, offered);
  const names = offered.specs.map(({ name }) => name);
  const doubled = names.find((name, index) => names.indexOf(name) !== index);
  if (doubled !== undefined) throw refused("tools", "Tool names must be unique.");
  return offered;
}

/** Returns the tools of a request and those that its messages define, without those that they withdraw. */
export function toolsOf(body: Body): unknown[] {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isObject) : [];
  const changes = messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isObject) : []));
  const withdrawn = new Set<unknown>();
  let tools = readList(body, "tools") ?? [];
  for (const { type, tool } of changes) {
    if (!isObject(tool) || (type !== "tool_addition" && type !== "tool_removal")) continue;
    const { name } = isObject(tool.definition) ? tool.definition : tool;
    if (type === "tool_removal") withdrawn.add(name);
    else withdrawn.delete(name);
    if (isObject(tool.definition)) tools = [...tools.filter((one) => !isNamed(one, name)), tool.definition];
  }
  return tools.filter((one) => !isObject(one) || one.name === undefined || !withdrawn.has(one.name));
}

function isNamed(tool: unknown, name: unknown): boolean {
  return name !== undefined && isObject(tool) && tool.name === name;
}

function readTool(tool: Body, at: string, { names, optional, specs, hosted }: OfferedTools): void {
  const type = readText(tool, "type", `${at}.type`) ?? "custom";
  const name = readText(tool, "name", `${at}.name`);
  if (type === "tackle") {
    names.push(required(name, `${at}.name`));
    return;
  }
  const typed = TYPED.find(([pattern]) => pattern.test(type))?.[1];
  const same = SAME.find(([pattern]) => pattern.test(type))?.[1];
  if (typed) specs.push({ name: required(name, `${at}.name`), ...typed });
  else if (same !== undefined) optional.push(same);
  else if (type === "custom") specs.push(readSpec(tool, required(name, `${at}.name`), at));
  else hosted.push(name ?? type);
}

function readSpec(tool: Body, name: string, at: string): ToolSpec {
  if (!TOOL_NAME.test(name))
    throw refused(`${at}.name`, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'");
  const parameters = readObject(tool, "input_schema", `${at}.input_schema`);
  return {
    name,
    description: readText(tool, "description", `${at}.description`) ?? "",
    parameters: required(parameters, `${at}.input_schema`) as JsonObject,
    ...(tool.strict === true ? { strict: true } : {}),
  };
}

/** Reads `tool_choice`. */
export function readToolChoice(
  value: Body | undefined,
  { names, optional, specs, hosted }: OfferedTools,
): { toolChoice?: string; parallelToolCalls?: false } {
  const type = value && required(readText(value, "type", "tool_choice.type"), "tool_choice.type");
  const single = value?.disable_parallel_tool_use === true ? { parallelToolCalls: false as const } : {};
  const known = [...names, ...optional, ...specs.map(({ name }) => name), ...hosted];
  const forced = type === "any" || type === "tool";
  if (forced && known.length === 0)
    throw refused("tool_choice", "`tool_choice` may only be specified while providing `tools`");
  switch (type) {
    case "auto":
    case "none":
      return { toolChoice: type, ...single };
    case "any":
      return { toolChoice: "required", ...single };
    case "tool": {
      const name = required(value && readText(value, "name", "tool_choice.name"), "tool_choice.name");
      if (!known.includes(name))
        throw refused("tool_choice", `Tool '${name.slice(0, 100)}' not found in provided tools`);
      return { toolChoice: name, ...single };
    }
    case undefined:
      return {};
    default:
      throw refused("tool_choice.type", "Input should be 'auto', 'any', 'tool' or 'none'");
  }
}
