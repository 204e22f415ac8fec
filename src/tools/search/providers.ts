import type { ToolContext, ToolSettings } from "../../protocol/tool.ts";
import { duckduckgo } from "./duckduckgo.ts";
import { exa } from "./exa.ts";
import type { Access, ProviderId, SearchProvider } from "./provider.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

type Facts = Pick<ToolContext, "setting" | "secret">;

/** In the order in which they are taken where nobody says which. */
export const SEARCH_PROVIDERS: readonly SearchProvider[] = [tavily, exa, searxng, duckduckgo];

/** The provider that a call goes to: the named one, else the first that is set up; undefined where it is not. */
export async function chooseProvider(
  wanted: ProviderId | undefined,
  facts: Facts,
): Promise<SearchProvider | undefined> {
  for (const provider of SEARCH_PROVIDERS) {
    if (wanted !== undefined && provider.id !== wanted) continue;
    if (await isReady(provider, facts)) return provider;
  }
  return undefined;
}

/** All providers that this caller can use. */
export async function readyProviders(facts: Facts): Promise<SearchProvider[]> {
  const ready: SearchProvider[] = [];
  for (const provider of SEARCH_PROVIDERS) if (await isReady(provider, facts)) ready.push(provider);
  return ready;
}

/** Where to ask a provider, and with whose key. Only an address that the operator set may be a private one. */
export async function accessTo(provider: SearchProvider, { setting, secret }: Facts): Promise<Access> {
  const own = setting?.(provider.baseUrlSetting);
  const key = provider.keySetting === undefined ? undefined : await secret?.(provider.keySetting);
  const baseUrl = (own ?? provider.baseUrl ?? "").trim().replace(/\/+$/, "");
  return { baseUrl, key, allowPrivate: own !== undefined };
}

/** Whether the settings of the operator alone are enough for a provider. */
export function isSetUp(id: ProviderId, { env }: ToolSettings): boolean {
  const provider = SEARCH_PROVIDERS.find((one) => one.id === id);
  if (!provider) return false;
  if (provider.keySetting !== undefined) return env[provider.keySetting] !== undefined;
  return provider.baseUrl !== undefined || env[provider.baseUrlSetting] !== undefined;
}

/** The providers for which people can store a key of their own. */
export function searchVendors(): { id: string; label: string }[] {
  return SEARCH_PROVIDERS.flatMap(({ id, label, keySetting }) => (keySetting ? [{ id, label }] : []));
}

async function isReady(provider: SearchProvider, { setting, secret }: Facts): Promise<boolean> {
  if (provider.keySetting !== undefined) return (await secret?.(provider.keySetting)) !== undefined;
  return provider.baseUrl !== undefined || setting?.(provider.baseUrlSetting) !== undefined;
}
