import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { ConnectedProvider, ModelCatalogue, VendorKeys } from "../protocol/catalogue.ts";
import type { ModelListing } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import type { Model, ModelInfo, Price, Provider } from "../protocol/model.ts";

/** Which vendor's model is the default, best first. The demo is always available and always last. */
const PREFERENCE = [
  "openai",
  "anthropic",
  "gemini",
  "zai",
  "openrouter",
  "xai",
  "deepseek",
  "mistral",
  "groq",
];

/** Loads the vendors' folder, where a file's name is the vendor's id. Vendors in `own` replace ours of the same id. */
export async function readProviders(own: readonly Provider[] = []): Promise<Provider[]> {
  const ours = await readFolder();
  return [...own, ...ours.filter(({ id }) => !own.some((provider) => provider.id === id))];
}

async function readFolder(): Promise<Provider[]> {
  const folder = new URL("./providers/", import.meta.url);
  const names = (await readdir(fileURLToPath(folder)))
    .filter((name) => /^[\w-]+\.(ts|js)$/.test(name))
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const { default: provider } = (await import(new URL(name, folder).href)) as { default: Provider };
      if (provider?.id !== name.replace(/\.\w+$/, ""))
        throw new Error(`providers/${name} must define the provider of its name`);
      return provider;
    }),
  );
}

/** Offers the models of all vendors that are set up. */
export function createModelCatalogue(options: {
  providers: readonly Provider[];
  connected: readonly ConnectedProvider[];
  preferred: string | undefined;
  /** Models that the embedding program provides. */
  own?: readonly Model[];
  /** The operator's prices by `provider/model`. They override ours. */
  prices: Readonly<Record<string, Price>>;
  connect(connection: ConnectedProvider, info: ModelInfo): Model;
  /** Returns a vendor connected with a user's own key, or undefined if it takes none. */
  connectWithKey(provider: Provider, key: string): ConnectedProvider | undefined;
}): ModelCatalogue {
  const shared = [...options.connected].sort((left, right) => rank(left) - rank(right));
  const models = new Map<string, Model>();
  const defaultId = (ranked: readonly ConnectedProvider[] = shared) => options.preferred ?? bestOf(ranked);

  /** Returns what one user can reach. Connections with their own keys replace the server's. */
  function rankedFor(keys: VendorKeys): ConnectedProvider[] {
    const own = options.providers.flatMap((provider) => {
      const key = Object.hasOwn(keys, provider.id) ? keys[provider.id] : undefined;
      return (key === undefined ? undefined : options.connectWithKey(provider, key)) ?? [];
    });
    if (own.length === 0) return shared;
    const others = shared.filter(({ provider }) => !own.some((one) => one.provider.id === provider.id));
    return [...own, ...others].sort((left, right) => rank(left) - rank(right));
  }

  function resolve(id: string | undefined, keys: VendorKeys = {}): Model {
    const ranked = rankedFor(keys);
    const wanted = id ?? defaultId(ranked);
    const own = options.own?.find((model) => model.id === wanted);
    if (own) return own;
    const slash = wanted.indexOf("/");
    const name = wanted.slice(slash + 1);
    const connection = ranked.find(({ provider }) => provider.id === wanted.slice(0, slash));
    if (slash < 1 || name === "" || !connection || !offers(connection, name))
      throw unknownModel(wanted, options, listings(ranked));
    // A model with a user's own key must not be shared.
    const isShared = shared.includes(connection);
    const known = isShared ? models.get(wanted) : undefined;
    if (known) return known;
    const price = options.prices[wanted];
    const info = { ...infoOf(connection, name), ...(price ? { price } : {}) };
    const model = options.connect(connection, info);
    if (isShared) models.set(wanted, model);
    return model;
  }

  function listings(ranked: readonly ConnectedProvider[]): ModelListing[] {
    const best = defaultId(ranked);
    const shown = (id: string, info: ModelInfo): ModelListing => ({
      id,
      label: info.label ?? info.name,
      default: id === best,
      ...(info.contextWindow === undefined ? {} : { contextWindow: info.contextWindow }),
      supportsTools: info.supportsTools ?? true,
      supportsImages: info.supportsImages ?? false,
    });
    const own = options.own ?? [];
    return [
      ...own.map(({ id, info }) => shown(id, info)),
      ...ranked.flatMap((connection) =>
        modelsOf(connection).map((info) => shown(`${connection.provider.id}/${info.name}`, info)),
      ),
    ];
  }

  async function list(keys: VendorKeys = {}): Promise<ModelListing[]> {
    const ranked = rankedFor(keys);
    await Promise.all(ranked.map((connection) => connection.refresh()));
    return listings(ranked);
  }

  async function named(name: string, keys: VendorKeys = {}): Promise<string | undefined> {
    const ranked = rankedFor(keys);
    const find = () => listings(ranked).find(({ id }) => id.slice(id.indexOf("/") + 1) === name)?.id;
    const known = find();
    if (known === undefined) await list(keys);
    return known ?? find();
  }

  return {
    resolve,
    named,
    defaultId: () => defaultId(),
    list,
    connected: () => shared,
    known: () => options.providers,
  };
}

function rank({ provider }: ConnectedProvider): number {
  if (provider.id === "demo") return Number.POSITIVE_INFINITY;
  const place = PREFERENCE.indexOf(provider.id);
  return place === -1 ? PREFERENCE.length : place;
}

/** Returns the first model of the best vendor that has one. */
function bestOf(ranked: readonly ConnectedProvider[]): string {
  for (const connection of ranked) {
    const [first] = modelsOf(connection);
    if (first) return `${connection.provider.id}/${first.name}`;
  }
  return "demo/demo";
}

function modelsOf({ provider, listed }: ConnectedProvider): readonly ModelInfo[] {
  if (!listed) return provider.models;
  const known = new Set(provider.models.map(({ name }) => name));
  return [...provider.models, ...listed.filter(({ name }) => !known.has(name))];
}

/** Vendors add models every week, so any name is passed on. Only the demo has a fixed list. */
function offers({ provider }: ConnectedProvider, name: string): boolean {
  return provider.id !== "demo" || provider.models.some((model) => model.name === name);
}

function infoOf(connection: ConnectedProvider, name: string): ModelInfo {
  const { provider } = connection;
  const info = modelsOf(connection).find((model) => model.name === name);
  return { ...provider.unknownModel, ...info, name };
}

function unknownModel(
  wanted: string,
  { providers }: { providers: readonly Provider[] },
  listings: ModelListing[],
): Failure {
  const vendor = providers.find(({ id }) => id === wanted.split("/")[0]);
  const ids = listings.slice(0, 12).map(({ id }) => id);
  if (vendor?.keySetting) {
    return new Failure(
      "INVALID_INPUT",
      `${vendor.label} is not set up: set ${vendor.keySetting} and start again, or store a key of your own. Ready now: ${ids.join(", ")}.`,
      { details: { field: "model" } },
    );
  }
  return new Failure(
    "INVALID_INPUT",
    `There is no model "${wanted.slice(0, 100)}". Ready now: ${ids.join(", ")}.`,
    { details: { field: "model" } },
  );
}
