import type { ConnectedProvider, KeyCheck, VendorKeys, VendorListing } from "../protocol/catalogue.ts";
import type { ModelListing } from "../protocol/chat.ts";
import { parseJson } from "../protocol/json.ts";
import type { Provider } from "../protocol/provider.ts";
import { QUOTA_SPENT } from "./wire/error-kinds.ts";
import { tryKey } from "./wire/models.ts";

const HERE = /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?:[:/]|$)/i;

/** Says whose key a vendor is asked with, and whether it runs here. */
export function originOf(
  connection: ConnectedProvider,
  shared: readonly ConnectedProvider[],
): Pick<ModelListing, "key" | "local"> {
  const { provider, key, baseUrl } = connection;
  if (key !== undefined) return { key: shared.includes(connection) ? "server" : "own" };
  return provider.id !== "demo" && HERE.test(baseUrl) ? { local: true } : {};
}

interface Describing {
  providers: readonly Provider[];
  /** What the person can reach, best first. */
  connected: readonly ConnectedProvider[];
  shared: readonly ConnectedProvider[];
  /** Servers that administrators added. */
  added: readonly ConnectedProvider[];
  keys: VendorKeys;
  listings(connection: ConnectedProvider): ModelListing[];
  /** Whether the person may use a model. */
  isOffered(modelId: string): boolean;
}

/** Lists the vendors that are set up, then those that a key would add. */
export function describeVendors({
  providers,
  connected,
  shared,
  added,
  keys,
  listings,
  isOffered,
}: Describing): VendorListing[] {
  const offered = (models: readonly ModelListing[]) => models.filter(({ id }) => isOffered(id));
  const ready = connected.filter(({ provider }) => provider.id !== "demo");
  const others = providers.filter(
    ({ id, keySetting, keyOptional }) =>
      keySetting !== undefined && !keyOptional && !connected.some(({ provider }) => provider.id === id),
  );
  return [
    ...ready.flatMap((connection): VendorListing[] => {
      const { id, label, keyPage } = connection.provider;
      const origin = originOf(connection, shared);
      const lastFour = origin.key === "own" ? { lastFour: keys[id]?.slice(-4) ?? "" } : {};
      const all = listings(connection);
      const models = offered(all).length;
      if (models < all.length && models === 0 && origin.key !== "own") return [];
      const isAdded = added.includes(connection) ? { added: true } : {};
      return [
        {
          id,
          label,
          kind: "models",
          ...origin,
          ...lastFour,
          ...(keyPage && { keyPage }),
          ...isAdded,
          models,
        },
      ];
    }),
    ...others.flatMap((provider): VendorListing[] => {
      const { id, label, keyPage } = provider;
      const all = listings({ provider, baseUrl: "", key: undefined });
      const offers = offered(all).map((model) => ({ ...model, default: false }));
      if (offers.length < all.length && offers.length === 0) return [];
      return [{ id, label, kind: "models", ...(keyPage && { keyPage }), models: 0, offers }];
    }),
  ];
}

/** Tries a key by a request that costs nothing. */
export async function checkKey(options: Parameters<typeof tryKey>[0]): Promise<KeyCheck> {
  let answer: Awaited<ReturnType<typeof tryKey>>;
  try {
    answer = await tryKey(options);
  } catch {
    return { result: "unreachable" };
  }
  if (answer === undefined) return { result: "unknown" };
  const { status, text } = answer;
  // A page to sign in to a network, or that of a proxy, comes from somebody else.
  if (status < 300) return { result: parseJson(text) !== undefined ? "works" : "unreachable" };
  if (status === 402 || QUOTA_SPENT.test(text)) return { result: "exhausted" };
  return { result: status === 429 || status >= 500 ? "busy" : "refused" };
}
