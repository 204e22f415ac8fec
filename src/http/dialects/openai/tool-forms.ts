import { isObject, type JsonObject, parseObject } from "../../../protocol/json.ts";
import type { ToolForm, ToolSpec } from "../../../protocol/model.ts";
import type { ClientCall } from "./client-messages.ts";
import { type Body, readJsonText, readText } from "./fields.ts";
import type { ClientCallType } from "./response-items.ts";

// Tools that are no functions. Models are offered functions in their place; clients get the calls in their own form.

const text = (description: string) => ({ type: "string", description });
const texts = (description: string) => ({ type: "array", items: { type: "string" }, description });
const milliseconds = { type: "number", description: "When to give up, in milliseconds." };

/** Tools that a client declares by their type alone, because their vendor's models know them. */
const TYPED: Record<string, { description: string; properties: JsonObject; required: string[] }> = {
  local_shell: {
    description: "Runs a command in the shell of the person's machine and returns what it prints.",
    properties: {
      command: texts("The program and its arguments."),
      working_directory: text("The folder to run it in."),
      timeout_ms: milliseconds,
    },
    required: ["command"],
  },
  shell: {
    description: "Runs commands in a shell of the person's choice and returns what each prints.",
    properties: { commands: texts("The commands, one line each."), timeout_ms: milliseconds },
    required: ["commands"],
  },
  apply_patch: {
    description: "Creates, changes or deletes one file.",
    properties: {
      type: { type: "string", enum: ["create_file", "update_file", "delete_file"] },
      path: text("The path of the file."),
      diff: text("What changes, as a diff without the names of files. Not needed to delete a file."),
    },
    required: ["type", "path"],
  },
};

/** What a search of the client's takes unless it says otherwise. */
const PATHS = {
  type: "object",
  properties: { paths: texts("The names of the tools to load.") },
  required: ["paths"],
};

/** Returns a typed tool as a function. Undefined for a type that no client runs itself. */
export function typedTool(tool: Body, type: string): ToolSpec | undefined {
  const known = TYPED[type];
  // A hosted shell runs at the vendor.
  const isHosted = isObject(tool.environment) && tool.environment.type !== "local";
  if (known && !isHosted) {
    const { description, ...fields } = known;
    return {
      name: type,
      description,
      parameters: { type: "object", ...fields },
      form: { type: type as "shell" },
    };
  }
  if (type !== "tool_search" || tool.execution !== "client") return undefined;
  const { description } = tool;
  const parameters = isObject(tool.parameters) ? tool.parameters : PATHS;
  return {
    name: type,
    description: String(description || "Loads tools, which can then be called."),
    parameters: parameters as JsonObject,
    form: { type },
  };
}

/** Returns a custom tool as a function with one text. */
export function customTool(name: string, description: string, format: Body | undefined): ToolSpec {
  const { type, syntax, definition } = format ?? {};
  const grammar =
    type === "grammar" ? `It must follow this grammar (${String(syntax)}):\n${String(definition)}` : "";
  const input = text(["The whole input, as plain text.", grammar].filter(Boolean).join(" "));
  return {
    name,
    description,
    parameters: { type: "object", properties: { input }, required: ["input"], additionalProperties: false },
    form: { type: "custom", ...(format ? { format: format as JsonObject } : {}) },
  };
}

/** Returns the name under which a tool of a group is offered. */
export function memberName(namespace: string, name: string): string {
  return `${namespace}.${name}`;
}

/** Returns the text that a model wrote for a custom tool. What is not of the form counts as the text itself. */
export function customInput(args: string): string {
  const { input } = parseObject(args) ?? {};
  return typeof input === "string" ? input : args;
}

/** A call as an item of a response: its type, its own fields, and the field that is streamed. */
export interface CallShape {
  type: ClientCallType;
  /** Begins the id of the item. */
  prefix: "fc" | "ctc" | "lsh" | "sh" | "apc" | "tsc";
  fields: Record<string, unknown>;
  streamed?: { event: string; field: "arguments" | "input"; text: string };
}

/** Returns a call of the client in the form that it declared. */
export function shapeOf(name: string, args: string, form: ToolForm | undefined): CallShape {
  switch (form?.type) {
    case "custom": {
      const input = customInput(args);
      const streamed = { event: "response.custom_tool_call_input", field: "input" as const, text: input };
      return { type: "custom_tool_call", prefix: "ctc", fields: form.member ?? { name }, streamed };
    }
    case "tool_search":
      return {
        type: "tool_search_call",
        prefix: "tsc",
        fields: { execution: "client", arguments: parseObject(args) ?? {} },
      };
    case "local_shell": {
      const action = { type: "exec", env: {}, command: [], ...(parseObject(args) ?? {}) };
      return { type: "local_shell_call", prefix: "lsh", fields: { action } };
    }
    case "shell": {
      const action = {
        commands: [],
        timeout_ms: null,
        max_output_length: null,
        ...(parseObject(args) ?? {}),
      };
      return { type: "shell_call", prefix: "sh", fields: { action } };
    }
    case "apply_patch":
      return { type: "apply_patch_call", prefix: "apc", fields: { operation: parseObject(args) ?? {} } };
    default: {
      const named = form ? { name: form.name, namespace: form.namespace } : { name };
      const event = "response.function_call_arguments";
      return {
        type: "function_call",
        prefix: "fc",
        fields: named,
        streamed: { event, field: "arguments", text: args },
      };
    }
  }
}

/** Reads an item with a call that a client made or was given. Undefined for other items. */
export function readCallItem(item: Body, type: string, at: string): Omit<ClientCall, "id"> | undefined {
  switch (type) {
    case "function_call": {
      const args = readJsonText(item, "arguments", `${at}.arguments`) ?? "{}";
      return { name: calledName(item, at), arguments: args };
    }
    case "custom_tool_call": {
      const input = readText(item, "input", `${at}.input`) ?? "";
      return { name: calledName(item, at), arguments: JSON.stringify({ input }) };
    }
    case "tool_search_call":
      return { name: "tool_search", arguments: JSON.stringify(item.arguments ?? {}) };
    case "local_shell_call":
    case "shell_call": {
      const { type: _type, env: _env, ...action } = isObject(item.action) ? item.action : {};
      return { name: type.slice(0, -"_call".length), arguments: JSON.stringify(action) };
    }
    case "apply_patch_call":
      return { name: "apply_patch", arguments: JSON.stringify(item.operation ?? {}) };
    default:
      return undefined;
  }
}

function calledName(item: Body, at: string): string {
  const namespace = readText(item, "namespace", `${at}.namespace`);
  const name = readText(item, "name", `${at}.name`) ?? "";
  return namespace && name ? memberName(namespace, name) : name;
}

/** Items with the result of a call, and the field that holds it. */
export const OUTPUT_FIELDS: ReadonlyMap<string, string> = new Map([
  ["function_call_output", "output"],
  ["custom_tool_call_output", "output"],
  ["local_shell_call_output", "output"],
  ["shell_call_output", "output"],
  ["apply_patch_call_output", "output"],
  ["tool_search_output", "tools"],
]);
