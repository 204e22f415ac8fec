import type { EventOf } from "../../../protocol/events.ts";
import type { JsonObject } from "../../../protocol/json.ts";
import { logprobsIn, wholeLogprobs } from "./logprobs.ts";
import type { TextItem, TextPart } from "./response-items.ts";
import { annotationsIn } from "./sources.ts";

/** A message or reasoning that is being written. */
export interface OpenText {
  item: TextItem;
  part: TextPart;
  index: number;
}

type Bare = { type: string } & Record<string, unknown>;

/** The event names and indexes of the two kinds of text. */
const TEXTS = {
  message: {
    names: { part: "response.content_part", text: "response.output_text" },
    place: { content_index: 0 },
    extra: { logprobs: [] },
  },
  reasoning: {
    names: { part: "response.reasoning_summary_part", text: "response.reasoning_summary_text" },
    place: { summary_index: 0 },
    extra: {},
  },
};

/** Where an event belongs. */
export function at(item_id: string, output_index: number): { item_id: string; output_index: number } {
  return { item_id, output_index };
}

/** A refusal is streamed as a text is, under another name. */
const REFUSES = {
  ...TEXTS.message,
  names: { ...TEXTS.message.names, text: "response.refusal" },
  extra: {},
};

function kindOf({ item, part }: OpenText) {
  return part.type === "refusal" ? REFUSES : TEXTS[item.type];
}

function placeOf({ item, index }: OpenText) {
  return { ...at(item.id, index), ...TEXTS[item.type].place };
}

/** Says that the text begins. */
export function partAdded(open: OpenText): Bare {
  const { names } = kindOf(open);
  return { type: `${names.part}.added`, ...placeOf(open), part: structuredClone(open.part) };
}

/** Adds to the text. */
export function textDelta(open: OpenText, delta: string): Bare {
  const { names, extra } = kindOf(open);
  if (open.part.type === "refusal") open.part.refusal += delta;
  else open.part.text += delta;
  return { type: `${names.text}.delta`, ...placeOf(open), delta, ...extra };
}

/** Says how likely the newest tokens of a message were. */
export function weighed(open: OpenText | undefined, event: EventOf<"content_delta">): Bare[] {
  const logprobs = wholeLogprobs(logprobsIn(event).flat());
  if (open?.part.type !== "output_text" || logprobs.length === 0) return [];
  open.part.logprobs.push(...logprobs);
  return [{ type: "response.output_text.delta", ...placeOf(open), delta: "", logprobs }];
}

/** Says what the vendor says that a message cites. */
export function annotated(open: OpenText | undefined, event: EventOf<"content_delta">): Bare[] {
  return open ? annotate(open, annotationsIn(event)) : [];
}

/** Says what a message cites. */
export function annotate(open: OpenText, cited: JsonObject[]): Bare[] {
  if (open.part.type !== "output_text") return [];
  const { annotations } = open.part;
  return cited.map((annotation) => ({
    type: "response.output_text.annotation.added",
    ...placeOf(open),
    annotation_index: annotations.push(annotation) - 1,
    annotation,
  }));
}

/** Says that the text and its item are done. */
export function textDone(open: OpenText): Bare[] {
  const { item, part, index } = open;
  const { names } = kindOf(open);
  const said = part.type === "refusal" ? { refusal: part.refusal } : { text: part.text };
  const extra = part.type === "output_text" ? { logprobs: [...part.logprobs] } : {};
  const where = placeOf(open);
  return [
    { type: `${names.text}.done`, ...where, ...said, ...extra },
    { type: `${names.part}.done`, ...where, part: structuredClone(part) },
    { type: "response.output_item.done", output_index: index, item: structuredClone(item) },
  ];
}
