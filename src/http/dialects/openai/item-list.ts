import { randomBytes } from "node:crypto";
import type { NewItem } from "../../../protocol/conversations.ts";
import { isObject, type Json, type JsonObject } from "../../../protocol/json.ts";
import type { HttpContext } from "../../context.ts";
import { refused } from "./errors.ts";
import { checkLength, notAmong, wrongType } from "./fields.ts";

/** An item as clients get it. */
export type Item = JsonObject & { id: string };

const MOST_ADDED = 100;
const PREFIXES: Record<string, string> = {
  ...{ message: "msg", reasoning: "rs", compaction: "cmp", mcp_call: "mcp", web_search_call: "ws" },
  image_generation_call: "ig",
  ...{ function_call: "fc", function_call_output: "fco" },
  ...{ custom_tool_call: "ctc", custom_tool_call_output: "ctco" },
};
const GIVEN_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Reads items that a client puts into a conversation. They keep their ids, and get one if they have none. */
export function readNewItems(list: unknown[], at: string): NewItem[] {
  checkLength(list, at, MOST_ADDED);
  return list.map((one, index) => {
    if (!isObject(one)) throw wrongType(`${at}[${index}]`, "an object", one);
    const item = wholeItem(
      one as JsonObject,
      (prefix) => `${prefix}_${randomBytes(18).toString("base64url")}`,
    );
    return { id: item.id, item };
  });
}

/** Returns an item as clients expect it back: with a type, an id, and content in parts. */
export function wholeItem(item: JsonObject, newId: (prefix: string) => string): Item {
  const type = typeof item.type === "string" ? item.type : "message";
  const id =
    typeof item.id === "string" && GIVEN_ID.test(item.id) ? item.id : newId(PREFIXES[type] ?? "item");
  const hasStatus = /^(message|.*_call|.*_output)$/.test(type);
  const whole = { ...item, type, id, ...(hasStatus ? { status: item.status ?? "completed" } : {}) };
  return type === "message" ? { ...whole, content: inParts(item) } : whole;
}

function inParts({ role, content = "" }: JsonObject): Json {
  if (Array.isArray(content))
    return content.map((part) =>
      isObject(part) && part.type === "input_image" ? { detail: "auto", ...(part as JsonObject) } : part,
    );
  if (typeof content !== "string") return content;
  if (role !== "assistant") return [{ type: "input_text", text: content }];
  return [{ type: "output_text", text: content, annotations: [], logprobs: [] }];
}

/** Returns what a request asks to include in its answer. */
export function includedIn(c: HttpContext): string[] {
  const queries = Object.entries(c.req.queries());
  return queries.flatMap(([name, values]) => (/^include(\[\d*\])?$/.test(name) ? values : []));
}

/** Returns the page of a list that a request asks for: by default the newest twenty, newest first. */
export function listPage(c: HttpContext, oldestFirst: readonly Item[]): Record<string, unknown> {
  const { limit = "20", order = "desc", after } = c.req.query();
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 100)
    throw refused("Invalid 'limit': expected a number from 1 to 100.", "limit", "invalid_value");
  if (order !== "asc" && order !== "desc") throw notAmong(order, ["asc", "desc"], "order");
  const items = order === "asc" ? oldestFirst : oldestFirst.toReversed();
  const start = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0)
    throw refused(`Invalid 'after': no item with id '${after.slice(0, 100)}' found.`, "after");
  const data = items.slice(start, start + Number(limit));
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + data.length < items.length,
  };
}
