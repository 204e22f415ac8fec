import { isObject } from "../../src/protocol/json.ts";
import type { ScriptedCall } from "../../src/sim/turns.ts";
import type { OfferedTool } from "./request.ts";

/** What the model wants to do. Every client has tools of its own for it. */
export type Wish =
  | { do: "run"; command: string }
  | { do: "read"; path: string }
  | { do: "replace"; path: string; before: string; after: string };

const NAMES: Record<Wish["do"], RegExp> = {
  run: /^(bash|shell|shell_command|exec_command|run_shell_command|run_commands?|execute_command|local_shell)$/i,
  read: /^(read|read_files?|view)$/i,
  replace: /^(edit|edit_file|editor|apply_patch|str_replace)$/i,
};

/** Returns the call that does it with the tools that the client offers, or undefined if it has none for it. */
export function callFor(wish: Wish, tools: readonly OfferedTool[]): ScriptedCall | undefined {
  const tool = tools.find(({ name }) => NAMES[wish.do].test(name));
  if (tool?.custom && wish.do === "replace")
    return { name: tool.name, arguments: patchOf(wish), custom: true };
  if (tool) return { name: tool.name, arguments: argumentsFor(wish, tool) };
  // A client without a tool for files does it with commands.
  if (wish.do === "read") return callFor({ do: "run", command: `cat '${wish.path}'` }, tools);
  if (wish.do === "replace" && tools.some(({ name }) => NAMES.run.test(name)))
    return callFor({ do: "run", command: replaceCommand(wish) }, tools);
  return undefined;
}

/** Fills in what the tool's schema names, whatever it calls it. */
function argumentsFor(wish: Wish, { name, parameters }: OfferedTool): Record<string, unknown> {
  const properties = isObject(parameters.properties) ? parameters.properties : {};
  const required = Array.isArray(parameters.required) ? parameters.required.map(String) : [];
  const entries = Object.entries(properties).flatMap(([key, schema]) => {
    // Some tools take several changes at once.
    const items = key === "edits" && isObject(schema) && isObject(schema.items) ? schema.items : undefined;
    if (items) return [[key, [argumentsFor(wish, { name, parameters: items, custom: false })]]];
    const meant = meantBy(key, wish, name);
    if (meant !== undefined) return [[key, asTyped(meant, schema)]];
    return required.includes(key) ? [[key, exampleOf(schema)]] : [];
  });
  return Object.fromEntries(entries);
}

function meantBy(key: string, wish: Wish, tool: string): string | undefined {
  const word = key.toLowerCase().replaceAll("_", "");
  if (wish.do === "run") return /^(command|commands|cmd)$/.test(word) ? wish.command : undefined;
  if (/^(path|filepath|absolutepath|files)$/.test(word)) return wish.path;
  if (wish.do === "read") return undefined;
  if (tool === "apply_patch" && word === "input") return patchOf(wish);
  if (/^old(string|text|str)$/.test(word)) return wish.before;
  return /^new(string|text|str)$/.test(word) ? wish.after : undefined;
}

function asTyped(value: string, schema: unknown): unknown {
  if (!isObject(schema) || schema.type !== "array") return value;
  const items = isObject(schema.items) ? schema.items : {};
  const choices = Array.isArray(items.anyOf) ? items.anyOf.filter(isObject) : [items];
  const object = choices.find(({ type }) => type === "object");
  if (!object) return [value];
  const [key = "path"] = Array.isArray(object.required) ? object.required.map(String) : [];
  return [{ [key]: value }];
}

function exampleOf(schema: unknown): unknown {
  const { type, enum: choices } = isObject(schema) ? schema : {};
  if (Array.isArray(choices)) return choices[0];
  if (type === "boolean") return false;
  if (type === "number" || type === "integer") return 1;
  if (type === "array") return [];
  return type === "object" ? {} : "as asked";
}

function patchOf({ path, before, after }: Extract<Wish, { do: "replace" }>): string {
  return `*** Begin Patch\n*** Update File: ${path}\n@@\n-${before}\n+${after}\n*** End Patch\n`;
}

/** The heredoc keeps every character of the texts as it is. */
function replaceCommand({ path, before, after }: Extract<Wish, { do: "replace" }>): string {
  const program = `const fs = require("node:fs");
const text = fs.readFileSync(${JSON.stringify(path)}, "utf8");
fs.writeFileSync(${JSON.stringify(path)}, text.replace(${JSON.stringify(before)}, () => ${JSON.stringify(after)}));`;
  return `node - <<'PROGRAM'\n${program}\nPROGRAM`;
}
