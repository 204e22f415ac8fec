import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { ConnectedProvider, ModelCatalogue, VendorKeys } from "../protocol/catalogue.ts";
import type { ModelListing } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import type { Model, ModelInfo, Price, Provider } from "../protocol/model.ts";

/** Best first, for when nothing is said; the demo is always there and always last. */
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

/** Reads the vendors' folder; a file's name is the vendor's id. A program's own stand above them. */
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
  /** Models that a program made itself. */
  own?: readonly Model[];
  /** Prices of the operator's own, by `provider/model`; they stand above ours. */
  prices: Readonly<Record<string, Price>>;
  connect(connection: ConnectedProvider, info: ModelInfo): Model;
  /** A vendor reached with somebody's own key; undefined where it takes none. */
  connectWithKey(provider: Provider, key: string): ConnectedProvider | undefined;
}): ModelCatalogue {
  const shared = [...options.connected].sort((left, right) => rank(left) - rank(right));
  const models = new Map<string, Model>();
  const defaultId = (ranked: readonly ConnectedProvider[] = shared) => options.preferred ?? bestOf(ranked);

  /** What one person can reach: own connections in the place of the server's. */
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
    // A model that was made with somebody's key is nobody else's.
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

/** The best model of the best vendor that names one. */
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

/** A vendor's models change by the week, so any name goes to it; only the demo has exactly one. */
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
