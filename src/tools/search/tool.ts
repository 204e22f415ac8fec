import { z } from "zod";
import { defineTool } from "../../protocol/define-tool.ts";
import type { Tool } from "../../protocol/tool.ts";
import { PROVIDER_IDS, type ProviderId } from "./provider.ts";
import { isSetUp } from "./providers.ts";
import { searchWeb } from "./search.ts";

const CACHE_SECONDS = 10 * 60;

const query = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .describe("What to search for: a few keywords work better than a sentence");
const maxResults = z
  .number()
  .int()
  .min(1)
  .max(10)
  .default(5)
  .describe("How many results to return at most, 1 to 10");
const provider = z
  .enum(PROVIDER_IDS)
  .optional()
  .describe("Which search service to use; leave it out to take the best one that is set up");

interface SearchToolDefinition {
  name: string;
  aliases?: string[];
  description: string;
}

const common = {
  effect: "network",
  retry: "pure",
  trust: "untrusted",
  limit: "search",
  modelRole: "rewrite",
  cacheSeconds: CACHE_SECONDS,
  // A query reaches only the service that the operator chose.
  outgoing: () => undefined,
  spellings: { num_results: "maxResults", numResults: "maxResults" },
} as const;

/** Defines a search tool with a `provider` parameter. Without it, the best provider that is set up is asked first. */
export function defineSearch(definition: SearchToolDefinition): Tool {
  return defineTool({
    ...definition,
    ...common,
    input: z.object({ query, maxResults, provider }),
    run: (args, context) => searchWeb(args, args.provider, context),
  });
}

/** Defines a search tool for one provider, offered where that is set up. */
export function defineProviderSearch(definition: SearchToolDefinition, id: ProviderId): Tool {
  return defineTool({
    ...definition,
    ...common,
    input: z.object({ query, maxResults }),
    available: (settings) => isSetUp(id, settings),
    run: (args, context) => searchWeb(args, id, context),
  });
}
