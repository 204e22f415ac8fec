import type { ModelListing } from "../../../protocol/chat.ts";
import { readNumber } from "./fields.ts";

const USUAL_LIMIT = 20;
const MOST = 1_000;

/** Returns a page of the list of models: `limit` models after `after_id` or before `before_id`, of some stages of life. */
export function anthropicPage(
  all: readonly ModelListing[],
  query: Record<string, string>,
  stages: readonly string[] = [],
) {
  const models = all.filter((model) => stages.length === 0 || stages.includes(stageOf(model)));
  const asked = query.limit === undefined ? {} : { limit: Number(query.limit) };
  const limit = readNumber(asked, "limit", { least: 1, most: MOST, whole: true }) ?? USUAL_LIMIT;
  const at = (id: string | undefined) => models.findIndex((model) => model.id === id);
  const end = query.before_id === undefined ? models.length : Math.max(0, at(query.before_id));
  const begin = query.before_id === undefined ? at(query.after_id) + 1 : Math.max(0, end - limit);
  const data = models.slice(begin, Math.min(end, begin + limit)).map(asAnthropicModel);
  const has_more = query.before_id === undefined ? begin + limit < models.length : begin > 0;
  return { data, has_more, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

/** A model in Anthropic's format. What is not known is null. */
export function asAnthropicModel(model: ModelListing) {
  const { id, label, contextWindow, shutdownDate } = model;
  return {
    type: "model",
    id,
    display_name: label ?? id,
    created_at: new Date(0).toISOString(),
    lifecycle: stageOf(model),
    deprecated_at: null,
    retires_at: shutdownDate === undefined ? null : `${shutdownDate}T00:00:00Z`,
    line: /claude-(?:[\d.-]+-)?(haiku|sonnet|opus|fable|mythos)/.exec(id)?.[1] ?? null,
    max_input_tokens: contextWindow ?? null,
    max_tokens: null,
    capabilities: capabilitiesOf(model),
  };
}

function stageOf({ deprecated }: ModelListing): string {
  return deprecated ? "deprecated" : "active";
}

/** What a model of another vendor can do in this dialect. Anthropic's own are passed on, and can do what their vendor says. */
function capabilitiesOf({ id, supportsImages, supportsReasoning = false }: ModelListing) {
  if (/claude/.test(id)) return null;
  const can = (supported: boolean) => ({ supported });
  const [yes, no, thinks] = [can(true), can(false), can(supportsReasoning)];
  const types = { adaptive: thinks, enabled: thinks, disabled: thinks, between_tools: no };
  return {
    batch: no,
    citations: no,
    code_execution: no,
    context_management: {
      ...no,
      ...{ clear_thinking_20251015: no, clear_tool_uses_20250919: no, compact_20260112: no },
    },
    effort: { ...thinks, low: thinks, medium: thinks, high: thinks, xhigh: thinks, max: thinks },
    image_input: can(supportsImages),
    pdf_input: yes,
    server_tools: { ...no, code_execution: no, web_search: no },
    structured_outputs: yes,
    thinking: { ...thinks, types },
  };
}
