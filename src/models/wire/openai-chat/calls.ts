import { isObject, type JsonObject } from "../../../protocol/json.ts";
import type { ToolCallPart } from "../../../protocol/messages.ts";
import { isWholeObject, repairArguments } from "../call-arguments.ts";
import { type ToolNames, takeCallId } from "../tools.ts";

interface Call {
  id: string;
  index: number | undefined;
  name: string;
  /** What later fragments with its id gave as its name: mostly the same again, in rare cases the rest of it. */
  moreOfName: string;
  arguments: string;
  extra: JsonObject | undefined;
}

/** Joins the fragments of tool calls, which each vendor numbers, names and identifies in its own way. */
export interface CallCollector {
  add(delta: unknown): void;
  /** Returns the calls once all fragments are added. Ids that are missing, repeated or already `taken` are replaced. */
  finish(names: ToolNames, taken: ReadonlySet<string>): ToolCallPart[];
}

/** Starts collecting the calls of one answer. */
export function collectCalls(): CallCollector {
  const calls: Call[] = [];

  function callFor(id: string, index: number | undefined, name: string): Call {
    const found = find(calls, id, index);
    if (found && !startsAnother(found, id, name)) return found;
    const call: Call = { id, index, name: "", moreOfName: "", arguments: "", extra: undefined };
    calls.push(call);
    return call;
  }

  return {
    add(delta) {
      if (!isObject(delta)) return;
      // The legacy `function_call` has the function's fields at its top.
      const fn = isObject(delta.function) ? delta.function : delta;
      const id = typeof delta.id === "string" ? delta.id : "";
      const index = readIndex(delta.index);
      const name = typeof fn.name === "string" ? fn.name : "";
      const call = callFor(id, index, name);
      call.id ||= id;
      call.index ??= index;
      if (call.name === "") call.name = name;
      else if (call.arguments === "") call.moreOfName += name;
      if (typeof fn.arguments === "string") call.arguments += fn.arguments;
      else if (fn.arguments !== null && typeof fn.arguments === "object") {
        call.arguments = JSON.stringify(fn.arguments);
      }
      if (isObject(delta.extra_content)) call.extra = delta.extra_content as JsonObject;
    },
    finish(names, taken) {
      const used = new Set(taken);
      const parts: ToolCallPart[] = [];
      for (const call of withWholeNames(calls, names)) {
        if (call.name === "" && call.arguments.trim() === "") continue;
        const id = takeCallId(call.id, used);
        const part: ToolCallPart = {
          type: "tool_call",
          id,
          name: names.fromWire(call.name),
          arguments: repairArguments(call.arguments),
        };
        if (call.extra) part.metadata = { extra_content: call.extra };
        parts.push(part);
      }
      return parts;
    },
  };
}

/** By id, then by index, then the latest. */
function find(calls: Call[], id: string, index: number | undefined): Call | undefined {
  if (id !== "") {
    const same = calls.findLast(
      (call) => call.id === id && (call.index === index || call.index === undefined || index === undefined),
    );
    if (same) return same;
  }
  if (index === undefined) return calls.at(-1);
  const numbered = calls.findLast((call) => call.index === index);
  if (numbered) return numbered;
  const latest = calls.at(-1);
  return latest?.index === undefined ? latest : undefined;
}

/** Returns whether a fragment that matches this call begins another one: some vendors number every call 0. */
function startsAnother(call: Call, id: string, name: string): boolean {
  if (call.name === "" || (id !== "" && id === call.id)) return false;
  const otherId = id !== "" && call.id !== "";
  if (name === "") return otherId && isWholeObject(call.arguments);
  if (name !== call.name) return true;
  return isWholeObject(call.arguments) || (otherId && call.arguments === "");
}

/** Joins the pieces of a name. Only the tools that were offered tell them from calls without arguments. */
function withWholeNames(calls: readonly Call[], { isOffered }: ToolNames): Call[] {
  const groups: Call[][] = [];
  for (const call of calls) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    const isPiece = call.id === "" && call.index !== undefined && !isOffered(call.name);
    if (isPiece && call.index === before?.index && before?.arguments.trim() === "") group?.push(call);
    else groups.push([call]);
  }
  return groups.flatMap((group) => {
    const [first, last] = [group[0], group.at(-1)];
    const name = group.map((call) => call.name + call.moreOfName).join("");
    if (!first || !last || isOffered(first.name) || !isOffered(name)) return group;
    return [{ ...first, name, arguments: last.arguments }];
  });
}

/** A place in the list of calls, which some vendors write as a text. */
function readIndex(value: unknown): number | undefined {
  const index = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof index === "number" && Number.isInteger(index) ? index : undefined;
}
