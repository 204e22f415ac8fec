import { Failure } from "../../protocol/failure.ts";
import type { ToolContext, ToolOutput } from "../../protocol/tool.ts";
import { exchange, PATIENCE, type Patience } from "./exchange.ts";
import { formatSources } from "./format.ts";
import { priceOf } from "./price.ts";
import type { ProviderId, SearchQuery } from "./provider.ts";
import { accessTo, chooseProvider, readyProviders } from "./providers.ts";
import { rewriteQuery } from "./rewrite.ts";
import { toSources } from "./sources.ts";

const USUAL_ADVICE = "Other words, or fewer, may do better.";

/** Searches the web with one provider, shows the results to the person and returns them for the model. */
export async function searchWeb(
  { query, maxResults }: SearchQuery,
  wanted: ProviderId | undefined,
  context: ToolContext,
  patience: Patience = PATIENCE,
): Promise<ToolOutput> {
  const provider = await chooseProvider(wanted, context);
  if (!provider) throw await notReady(wanted, context);
  const access = await accessTo(provider, context);
  const began = performance.now();
  const { rewritten } = provider.likesKeywords ? await rewriteQuery(query, context) : {};
  const answered = await exchange({
    provider,
    access,
    search: { query: rewritten ?? query, maxResults },
    signal: context.signal,
    patience,
    onRetry: (retry) =>
      context.progress({
        message: `${provider.label} did not answer as it should. Trying again (${retry} of ${patience.retries}).`,
      }),
  });
  const sources = toSources(answered.found, provider.minimumScore, maxResults);
  const data = {
    query,
    ...(rewritten === undefined ? {} : { rewrittenQuery: rewritten }),
    provider: provider.id,
    sources,
    searchTimeMs: Math.round(performance.now() - began),
  };
  context.show({ type: "web_search", toolCallId: context.toolCallId, data });
  return {
    output: formatSources(rewritten ?? query, sources, answered.note ?? provider.advice ?? USUAL_ADVICE),
    data,
    retryCount: answered.retryCount,
    costUsd: answered.costUsd ?? priceOf(provider, context.setting?.("TACKLE_SEARCH_PRICES")),
  };
}

async function notReady(wanted: ProviderId | undefined, context: ToolContext): Promise<Failure> {
  const ready = (await readyProviders(context)).map(({ id }) => id).join(", ");
  return new Failure(
    "TOOL_INVALID_ARGUMENTS",
    `The search provider "${wanted}" is not set up here. Leave provider out, or use one of: ${ready}.`,
  );
}
