import { isAbsolute, resolve } from "node:path";
import type { ToolCall, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import type { EventOf } from "../../protocol/events.ts";
import { isObject } from "../../protocol/json.ts";
import type { ToolCallState } from "../../protocol/reduce.ts";
import { visibleText } from "../../protocol/visible-text.ts";
import { clean } from "../clean.ts";
import { describeArguments } from "../wording.ts";

/** Editors show a title in one line. */
const LONGEST_TITLE = 200;

const KINDS: Record<string, ToolKind> = {
  "browser.search": "search",
  web_search: "search",
  web_search_exa: "search",
  web_search_searxng: "search",
  web_search_duckduckgo: "search",
  search_files: "search",
  web_fetch: "fetch",
  execute_command: "execute",
  command_output: "read",
  stop_command: "execute",
  read_result: "read",
  todo: "think",
  propose_plan: "think",
  delegate: "think",
};
const FILE_KINDS: Record<string, ToolKind> = {
  read: "read",
  list: "read",
  exists: "read",
  metadata: "read",
  search: "search",
  write: "edit",
  edit: "edit",
  move: "move",
  delete: "delete",
};

type Shown = Pick<ToolCallState, "toolCallId" | "toolName" | "arguments">;

/** Describes a new call to an editor whose session works in `cwd`. */
export function toolCallOf(call: Shown, cwd: string): ToolCall {
  const { toolCallId, toolName, arguments: args } = call;
  return {
    toolCallId,
    title: titleOf(call),
    name: toolName,
    kind: kindOf(call),
    status: "pending",
    locations: locationsOf(args, cwd),
    content: diffsOf(call, cwd),
    rawInput: args,
  };
}

/** The command itself, the file operation, or the tool with its most telling argument. */
function titleOf({ toolName, arguments: args }: Shown): string {
  const told = describeArguments(args);
  const speaks = told !== "" && (toolName === "execute_command" || toolName === "filesystem");
  const title = speaks ? told : `${toolName} ${told}`.trim();
  return title.length > LONGEST_TITLE ? `${title.slice(0, LONGEST_TITLE - 1)}…` : title;
}

function kindOf({ toolName, arguments: args }: Shown): ToolKind {
  if (toolName !== "filesystem") return KINDS[toolName] ?? "other";
  const operation = isObject(args) && typeof args.operation === "string" ? args.operation : "";
  return FILE_KINDS[operation] ?? "other";
}

function locationsOf(args: unknown, cwd: string): ToolCallLocation[] {
  if (!isObject(args)) return [];
  const { path, destination, offset } = args;
  const line = typeof offset === "number" && offset > 0 ? { line: Math.trunc(offset) } : {};
  const paths = [path, destination].filter((one) => typeof one === "string" && one !== "");
  return paths.map((one) => ({ path: absolute(String(one), cwd), ...line }));
}

/** The changes that a call will make to a file, for an editor to show as a diff. */
export function diffsOf({ toolName, arguments: args }: Shown, cwd: string): ToolCallContent[] {
  if (toolName !== "filesystem" || !isObject(args) || typeof args.path !== "string") return [];
  const path = absolute(args.path, cwd);
  if (args.operation === "write" && typeof args.content === "string")
    return [{ type: "diff", path, oldText: null, newText: args.content }];
  if (args.operation !== "edit") return [];
  const edits = Array.isArray(args.edits) ? args.edits : [args];
  return edits.flatMap((edit: unknown) => {
    if (!isObject(edit) || typeof edit.newText !== "string") return [];
    const oldText = typeof edit.oldText === "string" && edit.oldText !== "" ? edit.oldText : null;
    return [{ type: "diff" as const, path, oldText, newText: edit.newText }];
  });
}

/**
 * What a person has to see before they approve a call: the change as a diff, or the preview. Editors show a diff as it is, so one with
 * something unseen in it is replaced by the preview.
 */
export function contentOf(event: EventOf<"tool_approval_required">, cwd: string): ToolCallContent[] {
  const diffs = diffsOf(event, cwd);
  const isPlain = diffs.every((diff) => diff.type !== "diff" || diff.newText === visibleText(diff.newText));
  const shown = event.preview ?? JSON.stringify(event.arguments, null, 2) ?? "";
  if (diffs.length === 0 || !isPlain) return [textContent(visibleText(`${event.reason}\n\n${shown}`).trim())];
  return event.risk === "high" ? [textContent(visibleText(event.reason)), ...diffs] : diffs;
}

/** The text of a result. Terminal escapes would be executed by some editors, so they are removed. */
export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text: clean(text) } };
}

function absolute(path: string, cwd: string): string {
  return isAbsolute(path) ? path : resolve(cwd, path);
}
