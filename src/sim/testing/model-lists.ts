/** A model in a vendor's list: its name, and what this vendor's list says besides. */
type Listed = string | ({ id: string } & Record<string, unknown>);

const CREATED = 1_760_000_000;

function entry(listed: Listed): { id: string } & Record<string, unknown> {
  return typeof listed === "string" ? { id: listed } : listed;
}

/** OpenAI's list. Z.ai's and DeepSeek's look the same, without `shutdown_date`. */
export function openAiList(...models: Listed[]) {
  const data = models.map((model) => ({
    object: "model",
    created: CREATED,
    owned_by: "system",
    shutdown_date: null,
    ...entry(model),
  }));
  return { object: "list", data };
}

/** Groq's list. */
export function groqList(...models: Listed[]) {
  const data = models.map((model) => ({
    object: "model",
    created: CREATED,
    owned_by: "Groq",
    active: true,
    context_window: 131_072,
    max_completion_tokens: 65_536,
    public_apps: null,
    ...entry(model),
  }));
  return { object: "list", data };
}

const can = (supported: boolean) => ({ supported });

/** Anthropic's list. `types` are the kinds of thinking, `levels` the efforts. */
export function anthropicList(...models: Listed[]) {
  const data = models.map((model) => {
    const { types = ["adaptive", "disabled"], levels = ["low", "medium", "high"], ...rest } = entry(model);
    const [kinds, efforts] = [types as string[], levels as string[]];
    const of = (names: string[], all: string[]) =>
      Object.fromEntries(all.map((name) => [name, can(names.includes(name))]));
    return {
      type: "model",
      display_name: rest.id,
      created_at: "2026-10-01T00:00:00Z",
      deprecated_at: null,
      lifecycle: "active",
      line: null,
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
      retires_at: null,
      capabilities: {
        batch: can(true),
        citations: can(true),
        code_execution: can(true),
        effort: { ...can(efforts.length > 0), ...of(efforts, ["low", "medium", "high", "xhigh", "max"]) },
        image_input: can(true),
        pdf_input: can(true),
        structured_outputs: can(true),
        thinking: {
          ...can(kinds.length > 0),
          types: of(kinds, ["adaptive", "between_tools", "disabled", "enabled"]),
        },
      },
      ...rest,
    };
  });
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

/** Gemini's list. */
export function geminiList(...models: Listed[]) {
  return {
    models: models.map(entry).map(({ id, ...rest }) => ({
      name: `models/${id}`,
      version: "001",
      displayName: id,
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedGenerationMethods: ["generateContent", "countTokens"],
      temperature: 1,
      maxTemperature: 2,
      thinking: true,
      ...rest,
    })),
  };
}

/** Mistral's list. */
export function mistralList(...models: Listed[]) {
  const capabilities = { completion_chat: true, function_calling: true, vision: true };
  const data = models.map((model) => ({
    object: "model",
    created: CREATED,
    owned_by: "mistralai",
    capabilities,
    name: entry(model).id,
    max_context_length: 262_144,
    aliases: [],
    deprecation: null,
    deprecation_replacement_model: null,
    type: "base",
    ...entry(model),
  }));
  return { object: "list", data };
}

/** OpenRouter's list. */
export function openRouterList(...models: Listed[]) {
  const data = models.map((model) => ({
    canonical_slug: entry(model).id,
    name: entry(model).id,
    created: CREATED,
    context_length: 1_000_000,
    architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
    pricing: { prompt: "0.000002", completion: "0.00001" },
    top_provider: { context_length: 1_000_000, max_completion_tokens: 128_000, is_moderated: false },
    supported_parameters: ["max_tokens", "reasoning", "temperature", "tool_choice", "tools"],
    expiration_date: null,
    ...entry(model),
  }));
  return { data, links: { next: null }, total_count: data.length };
}

/** xAI's list of language models. */
export function xaiList(...models: Listed[]) {
  return {
    models: models.map((model) => ({
      object: "model",
      created: CREATED,
      owned_by: "xai",
      aliases: [],
      fingerprint: "fp",
      version: "1.0",
      input_modalities: ["text", "image"],
      output_modalities: ["text"],
      prompt_text_token_price: 20_000,
      cached_prompt_text_token_price: 5_000,
      completion_text_token_price: 60_000,
      ...entry(model),
    })),
  };
}
