import { GrowingText } from "../../../protocol/growing.ts";
import { isObject, type JsonObject } from "../../../protocol/json.ts";
import type { AssistantPart, PartMetadata } from "../../../protocol/messages.ts";
import type { EmitModelEvent } from "../../../protocol/model.ts";
import { CITATIONS, LOGPROBS, REFUSAL, VENDOR_CALLS } from "../../../protocol/vendor-blocks.ts";
import { argumentsText, repairArguments } from "../call-arguments.ts";
import { mintCallId, type ToolNames } from "../tools.ts";

/** Kinds of text: the answer, a refusal, the summary of reasoning, and raw reasoning. */
export type Kind = "text" | "refusal" | "summary" | "thought";

/** One output item as it arrives. */
export interface Item {
  readonly index: number;
  type: string;
  id: string | undefined;
  /** The texts so far, in order. */
  readonly texts: { kind: Kind; place: number; text: GrowingText }[];
  /** The arguments of a call so far. */
  arguments: string;
  /** The latest that the vendor sent about the item as a whole. */
  whole: Record<string, unknown>;
  done: boolean;
}

export interface Items {
  /** Returns the item that an event belongs to. `opens` means that the event begins an item. */
  at(event: Record<string, unknown>, type: string, opens?: boolean): Item;
  add(item: Item, kind: Kind, place: unknown, text: unknown): void;
  /** Adds what is missing of a text, given the whole of it. */
  complete(item: Item, kind: Kind, place: unknown, text: unknown): void;
  completePart(item: Item, part: unknown, place: unknown): void;
  update(item: Item, raw: unknown): void;
  /** Says that nothing of the item is missing. */
  end(item: Item): void;
  /** Fills in what the stream left out, given the whole output. */
  updateAll(output: unknown): void;
  /** Returns the answer, or what of it is whole while it arrives. */
  parts(names: ToolNames, only?: "whole"): AssistantPart[];
  readonly refused: boolean;
}

/** What of an answer is shown besides its text. */
interface Shown {
  /** Raw reasoning. */
  thoughts: boolean;
  /** What the vendor's own tools did and texts cite. */
  sources: boolean;
  /** How likely the tokens were. */
  logprobs: boolean;
}

/** Collects the output of one answer. Raw reasoning is kept, even if it is not shown. */
export function collectItems(emit: EmitModelEvent, shown: Shown): Items {
  const { thoughts: showThoughts } = shown;
  const items: Item[] = [];
  let reasoned = false;

  /** Finds by place in the output, because ids may change from one event to the next. */
  function find(event: Record<string, unknown>, opens: boolean): Item | undefined {
    const { output_index: index } = event;
    if (typeof index === "number") {
      // Nearly every event belongs to the newest item.
      const newest = items.at(-1);
      return newest?.index === index ? newest : items.findLast((item) => item.index === index);
    }
    const id = event.item_id ?? (isObject(event.item) ? event.item.id : undefined);
    const named = items.findLast((item) => id !== undefined && item.id === id);
    return named ?? (opens ? undefined : items.at(-1));
  }

  function at(event: Record<string, unknown>, type: string, opens = false): Item {
    const found = find(event, opens);
    if (found && !(found.done && (opens || isAnother(found, event.item)))) {
      found.type ||= type;
      return found;
    }
    const index = typeof event.output_index === "number" ? event.output_index : items.length;
    const item: Item = { index, type, id: undefined, texts: [], arguments: "", whole: {}, done: false };
    items.push(item);
    return item;
  }

  function slot(item: Item, kind: Kind, place: unknown): Item["texts"][number] {
    const number = typeof place === "number" ? place : 0;
    const newest = item.texts.at(-1);
    if (newest?.kind === kind && newest.place === number) return newest;
    const found = item.texts.find((one) => one.kind === kind && one.place === number);
    if (found) return found;
    const added = { kind, place: number, text: new GrowingText() };
    item.texts.push(added);
    return added;
  }

  function add(item: Item, kind: Kind, place: unknown, text: unknown): void {
    if (typeof text !== "string" || text === "") return;
    const found = slot(item, kind, place);
    const begins = found.text.length === 0;
    found.text.add(text);
    if (kind === "refusal" && begins && shown.sources)
      emit({ type: "text_delta", text: "", block: { type: REFUSAL } });
    if (kind === "text" || kind === "refusal") {
      emit({ type: "text_delta", text });
    } else if (kind === "summary" || showThoughts) {
      // Each part of a summary is its own paragraph.
      emit({ type: "reasoning_delta", text: begins && reasoned ? `\n\n${text}` : text });
      reasoned = true;
    }
  }

  function complete(item: Item, kind: Kind, place: unknown, text: unknown): void {
    if (typeof text !== "string" || text === "") return;
    const before = slot(item, kind, place).text.toString();
    if (text.startsWith(before)) add(item, kind, place, text.slice(before.length));
  }

  function completePart(item: Item, part: unknown, place: unknown): void {
    if (!isObject(part)) return;
    if (part.type === "output_text" || part.type === "text") complete(item, "text", place, part.text);
    if (part.type === "refusal") complete(item, "refusal", place, part.refusal);
    if (part.type === "summary_text") complete(item, "summary", place, part.text);
    if (part.type === "reasoning_text") complete(item, "thought", place, part.text);
  }

  function update(item: Item, raw: unknown): void {
    if (!isObject(raw)) return;
    if (typeof raw.type === "string") item.type = raw.type;
    if (typeof raw.id === "string") item.id = raw.id;
    item.whole = { ...item.whole, ...raw };
    for (const list of [raw.summary, raw.content]) {
      if (!Array.isArray(list)) continue;
      countFromFirst(item, list === raw.summary, list.length);
      for (const [place, part] of list.entries()) completePart(item, part, place);
    }
  }

  function end(item: Item): void {
    if (item.done) return;
    item.done = true;
    for (const block of blocksOf(item, shown)) emit({ type: "text_delta", text: "", block });
  }

  function updateAll(output: unknown): void {
    if (!Array.isArray(output)) return;
    const streamed = items.length > 0;
    for (const [index, raw] of output.entries()) {
      const seen = items.filter((item) => item.index === index);
      const same = isObject(raw) && seen.length === 1 && seen[0]?.type === raw.type;
      if (streamed && !same) continue;
      const item = at({ output_index: index }, "");
      update(item, raw);
      end(item);
    }
  }

  return {
    at,
    add,
    complete,
    completePart,
    update,
    end,
    updateAll,
    parts: (names, only) =>
      items
        .filter(({ done, type }) => only !== "whole" || done || type === "message")
        .toSorted((one, other) => one.index - other.index)
        .flatMap((item) => toParts(item, names, showThoughts)),
    get refused() {
      return items.some((item) => textOf(item, "refusal").length > 0);
    },
  };
}

/** What the vendor's own tools did, and what is said about the text of a message. */
function blocksOf({ type, whole }: Item, { sources, logprobs }: Shown): JsonObject[] {
  if (VENDOR_CALLS.has(type)) return sources ? [whole as JsonObject] : [];
  const parts = type === "message" && Array.isArray(whole.content) ? whole.content.filter(isObject) : [];
  const listed = (field: string) => parts.flatMap((part) => (Array.isArray(part[field]) ? part[field] : []));
  const content = logprobs ? listed("logprobs") : [];
  const citations = sources ? listed("annotations") : [];
  return [
    ...(content.length > 0 ? [{ type: LOGPROBS, content }] : []),
    ...(citations.length > 0 ? [{ type: CITATIONS, citations }] : []),
  ];
}

/** Some servers number every item 0, and say nothing of an item before it is done. */
function isAnother({ type, id, whole }: Item, raw: unknown): boolean {
  if (!isObject(raw)) return false;
  return raw.type !== type || raw.call_id !== whole.call_id || (raw.call_id === undefined && raw.id !== id);
}

/** Gives texts their places in the item: vLLM counts the parts of all items together while it streams. */
function countFromFirst(item: Item, ofSummary: boolean, length: number): void {
  const listed = item.texts.filter(({ kind }) => (kind === "summary") === ofSummary);
  if (length === 0 || listed.every(({ place }) => place < length)) return;
  const first = Math.min(...listed.map(({ place }) => place));
  for (const one of listed) one.place -= first;
}

function toParts(item: Item, names: ToolNames, showThoughts: boolean): AssistantPart[] {
  const { whole } = item;
  switch (item.type) {
    case "message": {
      const text = textOf(item, "text", "refusal").join("");
      const metadata = typeof whole.phase === "string" ? { phase: whole.phase } : undefined;
      return text === "" ? [] : [{ type: "text", text, ...(metadata && { metadata }) }];
    }
    case "reasoning": {
      const text = textOf(item, "summary", ...(showThoughts ? ["thought" as const] : [])).join("\n\n");
      const metadata = reasoningMetadata(item);
      return text === "" && !metadata ? [] : [{ type: "reasoning", text, ...(metadata && { metadata }) }];
    }
    case "function_call": {
      if (typeof whole.name !== "string" || whole.name === "") return [];
      const metadata = typeof whole.call_id === "string" ? { callId: whole.call_id } : undefined;
      const id = mintCallId();
      const name = names.fromWire(whole.name);
      return [{ type: "tool_call", id, name, arguments: argumentsOf(item), ...(metadata && { metadata }) }];
    }
    case "custom_tool_call": {
      if (typeof whole.name !== "string" || whole.name === "") return [];
      const metadata = typeof whole.call_id === "string" ? { callId: whole.call_id } : undefined;
      const called = {
        id: mintCallId(),
        name: names.fromWire(whole.name),
        arguments: JSON.stringify({ input: inputOf(item) }),
      };
      return [{ type: "tool_call", ...called, ...(metadata && { metadata }) }];
    }
    case "image_generation_call": {
      if (typeof whole.result !== "string" || whole.result === "") return [];
      const format = typeof whole.output_format === "string" ? whole.output_format : "png";
      return [{ type: "image", mimeType: `image/${format}`, data: whole.result }];
    }
    // Hosted tools ran at the vendor and are not our calls.
    default:
      return [];
  }
}

function textOf(item: Item, ...kinds: Kind[]): string[] {
  return item.texts.flatMap((one) =>
    kinds.includes(one.kind) && one.text.length > 0 ? [one.text.toString()] : [],
  );
}

/** The final arguments count more than the pieces, which may be missing. */
function argumentsOf(item: Item): string {
  const text = argumentsText(item.whole.arguments);
  return repairArguments(item.done && text.trim() !== "" ? text : item.arguments || text);
}

/** The same for a custom tool, whose input is any text. */
function inputOf({ whole, done, arguments: pieces }: Item): string {
  const input = typeof whole.input === "string" ? whole.input : "";
  return done && input !== "" ? input : pieces || input;
}

/** Returns the reasoning item as it must go back. Without its content, encrypted or plain, the vendor cannot use it. */
function reasoningMetadata(item: Item): PartMetadata | undefined {
  const { id, encrypted_content, content, summary } = item.whole as JsonObject;
  const encrypted = typeof encrypted_content === "string" && encrypted_content !== "";
  const open = Array.isArray(content) && content.length > 0;
  if (id === undefined || !(encrypted || open)) return undefined;
  return {
    item: {
      type: "reasoning",
      id,
      summary: summary ?? [],
      ...(open && { content }),
      ...(encrypted && { encrypted_content }),
    },
  };
}
