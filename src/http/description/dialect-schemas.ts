import { z } from "zod";

const anything = z.record(z.string(), z.unknown());

/** What requests and answers in the protocols of others have at least. */
export const DIALECT_SCHEMAS = {
  OpenAiError: z.object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      code: z.string().nullable(),
      param: z.string().nullable(),
    }),
  }),
  OpenAiObject: z.looseObject({ object: z.string() }),
  OpenAiList: z.looseObject({ object: z.literal("list"), data: z.array(anything) }),
  OllamaObject: anything.meta({ description: "See Ollama's reference." }),
  OpenAiImages: z.looseObject({ created: z.number(), data: z.array(anything) }),
  OpenAiItem: z.looseObject({ type: z.string(), id: z.string() }),
  OpenAiRequest: anything.meta({
    description: "See OpenAI's reference. Additional fields of Tackle are accepted.",
  }),
  AnthropicError: z.object({
    type: z.literal("error"),
    error: z.looseObject({ type: z.string(), message: z.string() }),
    request_id: z.string(),
  }),
  AnthropicMessage: z.looseObject({ type: z.literal("message"), id: z.string(), content: z.array(anything) }),
  AnthropicCount: z.looseObject({ input_tokens: z.number() }),
  AnthropicRequest: anything.meta({
    description: "See Anthropic's reference. `tools` can also contain names of server tools.",
  }),
};
