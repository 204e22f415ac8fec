import { Failure } from "../../protocol/failure.ts";
import { parseObject } from "../../protocol/json.ts";
import type { ToolContext, ToolOutput } from "../../protocol/tool.ts";
import { type Answered, exchange, PATIENCE, type Patience } from "./exchange.ts";
import type { ProviderId, SearchProvider, SearchQuery } from "./provider.ts";
import { accessTo, providersFor, readyProviders } from "./providers.ts";
import { type Rewrite, rewriteQuery } from "./rewrite.ts";
import { formatSources, toSources } from "./sources.ts";

const USUAL_ADVICE = "Other words, or fewer, may do better.";

/** Searches the web, shows the results to the person and returns them for the model. */
export async function searchWeb(
  { query, maxResults }: SearchQuery,
  wanted: ProviderId | undefined,
  context: ToolContext,
  patience: Patience = PATIENCE,
): Promise<ToolOutput> {
  const began = performance.now();
  const answer = await askInOrder({ query, maxResults }, wanted, context, patience);
  const { provider, rewritten, warning } = answer;
  const sources = toSources(answer.found, provider.minimumScore, maxResults);
  const data = {
    query,
    ...(rewritten === undefined ? {} : { rewrittenQuery: rewritten }),
    provider: provider.id,
    sources,
    searchTimeMs: Math.round(performance.now() - began),
  };
  if (warning !== undefined) context.show({ type: "warning", code: "SEARCH_DEGRADED", message: warning });
  context.show({ type: "web_search", toolCallId: context.toolCallId, data });
  const results = formatSources(rewritten ?? query, sources, answer.note ?? provider.advice ?? USUAL_ADVICE);
  return {
    output: warning === undefined ? results : `${results}\n\n${warning}`,
    data,
    sources: ["a web search"],
    links: sources.map(({ url }) => url),
    retryCount: answer.retryCount,
    costUsd: answer.costUsd ?? priceOf(provider, context.setting?.("TACKLE_SEARCH_PRICES")),
  };
}

interface ProviderResult extends Answered {
  provider: SearchProvider;
  rewritten?: string;
  /** Why another provider than the first one answered. */
  warning?: string;
}

/**
 * Asks the providers that are set up, one after the other, until one answers. If none does, throws why the first one that
 * was really asked did not.
 */
async function askInOrder(
  search: SearchQuery,
  wanted: ProviderId | undefined,
  context: ToolContext,
  patience: Patience,
): Promise<ProviderResult> {
  const providers = await providersFor(wanted, context);
  let rewriting: Promise<Rewrite> | undefined;
  const rewrite = () => (rewriting ??= rewriteQuery(search.query, context));
  let first: { label: string; failure: Failure } | undefined;
  let tried = 0;
  for (const [index, provider] of providers.entries()) {
    const share = shareOf(patience, index, providers.length);
    try {
      const answer = await ask(provider, search, rewrite, context, share);
      const warning = first && `${sentenceOf(first)} ${provider.label} was asked instead.`;
      return { ...answer, provider, warning, retryCount: tried + answer.retryCount };
    } catch (thrown) {
      context.signal.throwIfAborted();
      if (!(thrown instanceof Failure) || (!first && thrown.code === "TOOL_INVALID_ARGUMENTS")) throw thrown;
      const isPaused = thrown.code === "BREAKER_OPEN";
      if (!first || (first.failure.code === "BREAKER_OPEN" && !isPaused))
        first = { label: provider.label, failure: thrown };
      tried += isPaused ? 0 : 1 + Number(thrown.details?.retryCount ?? 0);
    }
  }
  throw (
    first?.failure.withDetails({ retryCount: Math.max(0, tried - 1) }) ?? (await notReady(wanted, context))
  );
}

/** Only the first provider is asked again, and it leaves time for the others. */
function shareOf(patience: Patience, index: number, count: number): Patience {
  if (index > 0) return { ...patience, retries: 0 };
  return count === 1 ? patience : { ...patience, totalMs: patience.totalMs / 2 };
}

/** The words of a provider may only be read as the result of a tool. */
function sentenceOf({ label, failure }: { label: string; failure: Failure }): string {
  return failure.untrusted ? `${label} did not answer as it should.` : failure.publicMessage;
}

async function ask(
  provider: SearchProvider,
  { query, maxResults }: SearchQuery,
  rewrite: () => Promise<Rewrite>,
  context: ToolContext,
  patience: Patience,
): Promise<Answered & { rewritten?: string }> {
  const { behindBreaker = (_, work) => work() } = context;
  return behindBreaker(provider.label, async () => {
    const { rewritten } = provider.likesKeywords ? await rewrite() : {};
    const answered = await exchange({
      provider,
      access: await accessTo(provider, context),
      search: { query: rewritten ?? query, maxResults },
      signal: context.signal,
      patience,
      onRetry: (retry) =>
        context.progress({
          message: `${provider.label} did not answer as it should. Trying again (${retry} of ${patience.retries}).`,
        }),
    });
    return { ...answered, rewritten };
  });
}

async function notReady(wanted: ProviderId | undefined, context: ToolContext): Promise<Failure> {
  const ready = (await readyProviders(context)).map(({ id }) => id).join(", ");
  return new Failure(
    "TOOL_INVALID_ARGUMENTS",
    `The search provider "${wanted}" is not set up here. Leave provider out, or use one of: ${ready}.`,
  );
}

/** The price of a search in dollars. `own` is the operator's price table as JSON: `{"tavily":0.005}`; one that cannot be read is ignored. */
function priceOf({ id, priceUsd }: SearchProvider, own: string | undefined): number {
  const price = own === undefined ? undefined : parseObject(own)?.[id];
  return typeof price === "number" && price >= 0 ? price : priceUsd;
}
