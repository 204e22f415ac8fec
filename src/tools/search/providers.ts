import type { ToolContext, ToolSettings } from "../../protocol/tool.ts";
import { duckduckgo } from "./duckduckgo.ts";
import { exa } from "./exa.ts";
import type { Access, ProviderId, SearchProvider } from "./provider.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

type Facts = Pick<ToolContext, "setting" | "secret">;

/** In order of preference. */
export const SEARCH_PROVIDERS: readonly SearchProvider[] = [tavily, exa, searxng, duckduckgo];

/** Returns the providers to ask, in order: the wanted one first. Empty if that is not set up. */
export async function providersFor(wanted: ProviderId | undefined, facts: Facts): Promise<SearchProvider[]> {
  const ready = await readyProviders(facts);
  const first = ready.find(({ id }) => wanted === undefined || id === wanted);
  return first ? [first, ...ready.filter((provider) => provider !== first)] : [];
}

/** All providers that this caller can use. */
export async function readyProviders(facts: Facts): Promise<SearchProvider[]> {
  const ready: SearchProvider[] = [];
  for (const provider of SEARCH_PROVIDERS) if (await isReady(provider, facts)) ready.push(provider);
  return ready;
}

/** Returns the address and key for a provider. Only an address that the operator set may be private. */
export async function accessTo(provider: SearchProvider, { setting, secret }: Facts): Promise<Access> {
  const own = setting?.(provider.baseUrlSetting);
  const key = provider.keySetting === undefined ? undefined : await secret?.(provider.keySetting);
  const baseUrl = (own ?? provider.baseUrl ?? "").trim().replace(/\/+$/, "");
  return { baseUrl, key, allowPrivate: own !== undefined };
}

/** Whether the operator's settings alone are enough for a provider. */
export function isSetUp(id: ProviderId, { env }: ToolSettings): boolean {
  const provider = SEARCH_PROVIDERS.find((one) => one.id === id);
  if (!provider) return false;
  if (provider.keySetting !== undefined) return env[provider.keySetting] !== undefined;
  return provider.baseUrl !== undefined || env[provider.baseUrlSetting] !== undefined;
}

/** The providers for which people can store their own key, and whether the operator has set one. */
export function searchVendors(
  settings: ToolSettings["env"],
): { id: string; label: string; key?: "server" }[] {
  return SEARCH_PROVIDERS.flatMap(({ id, label, keySetting }) => {
    if (keySetting === undefined) return [];
    return [{ id, label, ...(settings[keySetting] === undefined ? {} : { key: "server" as const }) }];
  });
}

async function isReady(provider: SearchProvider, { setting, secret }: Facts): Promise<boolean> {
  if (provider.keySetting !== undefined) return (await secret?.(provider.keySetting)) !== undefined;
  return provider.baseUrl !== undefined || setting?.(provider.baseUrlSetting) !== undefined;
}
