import type { ModelListing } from "../../../protocol/chat.ts";
import { readNumber } from "./fields.ts";

const USUAL_LIMIT = 20;
const MOST = 1_000;

/** Returns a page of the list of models: `limit` models after `after_id` or before `before_id`. */
export function anthropicPage(models: readonly ModelListing[], query: Record<string, string>) {
  const asked = query.limit === undefined ? {} : { limit: Number(query.limit) };
  const limit = readNumber(asked, "limit", { least: 1, most: MOST, whole: true }) ?? USUAL_LIMIT;
  const at = (id: string | undefined) => models.findIndex((model) => model.id === id);
  const end = query.before_id === undefined ? models.length : Math.max(0, at(query.before_id));
  const begin = query.before_id === undefined ? at(query.after_id) + 1 : Math.max(0, end - limit);
  const data = models.slice(begin, Math.min(end, begin + limit)).map(asAnthropicModel);
  const has_more = query.before_id === undefined ? begin + limit < models.length : begin > 0;
  return { data, has_more, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

/** A model in Anthropic's format. */
export function asAnthropicModel({ id, label, contextWindow }: ModelListing) {
  return {
    type: "model",
    id,
    display_name: label ?? id,
    created_at: new Date(0).toISOString(),
    ...(contextWindow === undefined ? {} : { max_input_tokens: contextWindow }),
  };
}
