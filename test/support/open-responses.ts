import { z } from "zod";

// What the specification of Open Responses (2026-04-24) requires, in our own words. Fields beyond it are allowed.

const text = z.string();
const whole = z.number().int();
const nullable = <Shape extends z.ZodType>(shape: Shape) => z.union([shape, z.null()]);
const itemStatus = z.enum(["in_progress", "completed", "incomplete"]);

const logprob = z.looseObject({
  token: text,
  logprob: z.number(),
  bytes: z.array(whole),
  top_logprobs: z.array(z.looseObject({ token: text, logprob: z.number(), bytes: z.array(whole) })),
});
const citation = z.looseObject({
  type: z.literal("url_citation"),
  url: text,
  title: text,
  start_index: whole,
  end_index: whole,
});
const outputText = z.looseObject({
  type: z.literal("output_text"),
  text,
  annotations: z.array(citation),
  logprobs: z.array(logprob).optional(),
});
const summaryText = z.looseObject({ type: z.literal("summary_text"), text });

/** The items that the specification has. Others are extensions. */
export const ITEMS = {
  message: z.looseObject({
    type: z.literal("message"),
    id: text.min(1),
    status: itemStatus,
    role: z.literal("assistant"),
    content: z.array(outputText),
  }),
  function_call: z.looseObject({
    type: z.literal("function_call"),
    id: text.min(1),
    call_id: text.min(1),
    name: text.min(1),
    arguments: text,
    status: itemStatus,
  }),
  function_call_output: z.looseObject({
    type: z.literal("function_call_output"),
    id: text.min(1),
    call_id: text,
    output: z.union([text, z.array(z.looseObject({ type: text }))]),
    status: itemStatus,
  }),
  reasoning: z.looseObject({
    type: z.literal("reasoning"),
    id: text.min(1),
    status: itemStatus,
    summary: z.array(summaryText),
    encrypted_content: text.optional(),
  }),
  compaction: z.looseObject({
    type: z.literal("compaction"),
    id: text.min(1),
    encrypted_content: text.min(1),
  }),
};
const item = z.union(Object.values(ITEMS));

const tool = z.looseObject({
  type: z.literal("function"),
  name: text,
  description: nullable(text),
  parameters: nullable(z.record(text, z.unknown())),
  strict: nullable(z.boolean()),
});
const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.looseObject({ type: z.literal("function"), name: text.optional() }),
  z.looseObject({
    type: z.literal("allowed_tools"),
    mode: z.enum(["none", "auto", "required"]),
    tools: z.array(z.looseObject({ type: z.literal("function") })),
  }),
]);
const format = z.union([
  z.looseObject({ type: z.enum(["text", "json_object"]) }),
  z.looseObject({
    type: z.literal("json_schema"),
    name: text,
    description: nullable(text),
    schema: z.record(text, z.unknown()),
    strict: z.boolean(),
  }),
]);
const usage = z.looseObject({
  input_tokens: whole,
  output_tokens: whole,
  total_tokens: whole,
  input_tokens_details: z.looseObject({ cached_tokens: whole, cache_write_tokens: whole }),
  output_tokens_details: z.looseObject({ reasoning_tokens: whole }),
});

/** Every field that a response must have. */
export const RESPONSE_FIELDS = {
  id: text.min(1),
  object: z.literal("response"),
  created_at: whole,
  completed_at: nullable(whole),
  status: z.enum(["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]),
  incomplete_details: nullable(z.looseObject({ reason: text })),
  model: text.min(1),
  previous_response_id: nullable(text),
  instructions: nullable(text),
  output: z.array(item),
  error: nullable(z.looseObject({ code: text, message: text })),
  tools: z.array(tool),
  tool_choice: toolChoice,
  truncation: z.enum(["auto", "disabled"]),
  parallel_tool_calls: z.boolean(),
  text: z.looseObject({ format, verbosity: z.enum(["low", "medium", "high"]).optional() }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: whole,
  temperature: z.number(),
  reasoning: nullable(z.looseObject({ effort: nullable(text), summary: nullable(text) })),
  usage: nullable(usage),
  max_output_tokens: nullable(whole),
  max_tool_calls: nullable(whole),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: text.min(1),
  metadata: z.record(text, text),
  safety_identifier: nullable(text),
  prompt_cache_key: nullable(text),
};
const response = z.looseObject(RESPONSE_FIELDS);

const inItem = { item_id: text.min(1), output_index: whole };
const inContent = { ...inItem, content_index: whole };
const inSummary = { ...inItem, summary_index: whole };

/** Every event, with the fields that it must have besides its type and number. */
export const EVENTS: Record<string, z.ZodRawShape> = {
  "response.created": { response },
  "response.queued": { response },
  "response.in_progress": { response },
  "response.completed": { response },
  "response.failed": { response },
  "response.incomplete": { response },
  "response.output_item.added": { output_index: whole, item },
  "response.output_item.done": { output_index: whole, item },
  "response.content_part.added": { ...inContent, part: outputText },
  "response.content_part.done": { ...inContent, part: outputText },
  "response.output_text.delta": { ...inContent, delta: text, logprobs: z.array(logprob) },
  "response.output_text.done": { ...inContent, text, logprobs: z.array(logprob) },
  "response.reasoning_summary_part.added": { ...inSummary, part: summaryText },
  "response.reasoning_summary_part.done": { ...inSummary, part: summaryText },
  "response.reasoning_summary_text.delta": { ...inSummary, delta: text },
  "response.reasoning_summary_text.done": { ...inSummary, text },
  "response.function_call_arguments.delta": { ...inItem, delta: text },
  "response.function_call_arguments.done": { ...inItem, arguments: text },
};

/** Returns the schema of an event, with what every event has. */
export function eventSchema(type: string): z.ZodType {
  return z.looseObject({ type: z.literal(type), sequence_number: whole, ...EVENTS[type] });
}

/** Errors that are not part of a stream. */
export const ERROR = z.strictObject({
  error: z.looseObject({ message: text.min(1), type: text, param: nullable(text), code: nullable(text) }),
});
