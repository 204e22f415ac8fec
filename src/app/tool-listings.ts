import type { ToolListing } from "../protocol/chat.ts";
import type { Principal } from "../protocol/principal.ts";
import type { Guards } from "./builders/guards.ts";
import type { Models } from "./builders/models.ts";
import type { Tools } from "./builders/tools.ts";
import type { Config } from "./config.ts";

interface ListingParts {
  tools: Tools;
  guards: Guards;
  models: Models;
}

/** Returns the tools as one person has them: with the models that they ask and the limits that apply. */
export async function listToolsFor(
  { toolTimeoutMs, requestLimits: { windowMinutes } }: Config,
  { tools: { registry }, guards: { limits }, models: { sideModels } }: ListingParts,
  principal: Principal,
): Promise<ToolListing[]> {
  const mine = registry.for(principal);
  const modelFor = await sideModels.namesFor(principal);
  const listed = mine.listings().map(async (listing): Promise<ToolListing> => {
    const tool = mine.get(listing.name);
    if (!tool) return listing;
    const model = tool.modelRole && modelFor(tool.modelRole);
    const left = await limits.callsLeft(tool, principal);
    const calls = left && {
      limit: left.limit,
      remaining: left.remaining,
      resetAt: new Date(left.resetAt).toISOString(),
      windowMinutes,
    };
    const timeoutMs = tool.timeoutMs ?? toolTimeoutMs;
    return { ...listing, ...(model ? { model } : {}), limits: { timeoutMs, calls } };
  });
  return Promise.all(listed);
}
