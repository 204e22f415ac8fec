import { isObject, type JsonObject } from "../../../protocol/json.ts";
import { memberName } from "./tool-forms.ts";

// Clients with many tools let a search load them. Their own search runs at the client. For OpenAI's, models are offered all
// of the tools, and the client is told that a search has found those that they call.

/** Returns how the tools of a request are offered: without those that the client's own search has not loaded, which it names. */
export function loadable(list: readonly unknown[]): (tool: unknown) => unknown {
  if (!list.some(isClientSearch)) return (tool) => tool;
  const names = list.flatMap(deferredIn).map(({ path, about }) => `${path}: ${about}`);
  return (tool) => {
    if (!isObject(tool)) return tool;
    if (isClientSearch(tool) && names.length > 0)
      return {
        ...tool,
        description: `${tool.description ?? ""}\nTools to load:\n${names.join("\n")}`.trim(),
      };
    if (isDeferred(tool)) return undefined;
    const members = membersOf(tool);
    return members ? { ...tool, tools: members.filter((member) => !isDeferred(member)) } : tool;
  };
}

/** The tools of a response that a search of OpenAI's would load. */
export class DeferredTools {
  readonly #unloaded: Map<string, JsonObject>;

  constructor({ tools }: JsonObject) {
    const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
    const isHosted = list.some((tool) => isSearch(tool) && !isClientSearch(tool));
    const deferred = isHosted ? list.flatMap(deferredIn) : [];
    this.#unloaded = new Map(deferred.map(({ path, whole }) => [path, whole]));
  }

  /** Returns the search before the first call of a tool, as items without their ids. */
  load(
    path: string,
  ): [call: JsonObject & { type: string }, output: JsonObject & { type: string }] | undefined {
    const tool = this.#unloaded.get(path);
    if (!tool) return undefined;
    this.#unloaded.delete(path);
    const facts = { call_id: null, execution: "server", status: "completed" };
    return [
      { type: "tool_search_call", ...facts, arguments: { paths: [path] } },
      { type: "tool_search_output", ...facts, tools: [tool] },
    ];
  }
}

/** What is deferred of a tool or group. */
interface Deferred {
  /** Its name for the model. */
  path: string;
  about: string;
  /** As a search returns it. */
  whole: JsonObject;
}

function deferredIn(tool: unknown): Deferred[] {
  if (!isObject(tool)) return [];
  const { name, description: about = "" } = tool;
  if (isDeferred(tool)) return [{ path: String(name), about: String(about), whole: tool as JsonObject }];
  return (membersOf(tool) ?? []).filter(isDeferred).map((member) => {
    const { name: own, description = "" } = member as JsonObject;
    const path = memberName(String(name), String(own));
    const whole = { ...(tool as JsonObject), tools: [member as JsonObject] };
    return { path, about: String(description), whole };
  });
}

function isDeferred(tool: unknown): boolean {
  return (
    isObject(tool) && tool.defer_loading === true && (tool.type === "function" || tool.type === "custom")
  );
}

function membersOf({ type, tools }: Record<string, unknown>): unknown[] | undefined {
  return type === "namespace" && Array.isArray(tools) ? tools : undefined;
}

function isSearch(tool: unknown): boolean {
  return isObject(tool) && tool.type === "tool_search";
}

function isClientSearch(tool: unknown): boolean {
  return isObject(tool) && isSearch(tool) && tool.execution === "client";
}
