import type { ConnectedProvider, KeyCheck, ModelCatalogue, VendorKeys } from "../protocol/catalogue.ts";
import type { ModelListing } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import type { Model, ModelInfo, Price } from "../protocol/model.ts";
import type { Provider } from "../protocol/provider.ts";
import { displayName } from "./display-name.ts";
import { describeVendors, originOf } from "./vendors.ts";
import { describeModel, withoutDate } from "./wire/families.ts";

/** Which vendor's model is the default, best first. The demo is always available and always last. */
const PREFERENCE = "openai anthropic gemini zai openrouter xai deepseek mistral groq".split(" ");

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
  /** Tries a key, or without one what is set up, by a request that costs nothing. */
  check(provider: Provider, key: string | undefined, signal: AbortSignal): Promise<KeyCheck>;
  /** Tries a server that an administrator added. */
  checkServer?(server: ConnectedProvider, signal: AbortSignal): Promise<KeyCheck>;
}): ModelCatalogue {
  let added: readonly ConnectedProvider[] = [];
  let shared = inOrder(options.connected);
  /** Models of the server's vendors, with the list that describes them. */
  const models = new Map<string, { model: Model; listed: ConnectedProvider["listed"] }>();
  const defaultId = (ranked: readonly ConnectedProvider[] = shared) =>
    options.preferred === undefined ? bestOf(ranked) : survivor(options.preferred, ranked);

  /** Returns what one user can reach. Connections with their own keys replace the server's. */
  function rankedFor(keys: VendorKeys): ConnectedProvider[] {
    const own = options.providers.flatMap((provider) => {
      const key = Object.hasOwn(keys, provider.id) ? keys[provider.id] : undefined;
      return (key === undefined ? undefined : options.connectWithKey(provider, key)) ?? [];
    });
    if (own.length === 0) return shared;
    const others = shared.filter(({ provider }) => !own.some((one) => one.provider.id === provider.id));
    return inOrder([...own, ...others]);
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
    // The next request may then go by a newer list.
    void connection.refresh?.();
    const successor = successorOf(connection, name, today());
    if (successor !== undefined)
      return replacing(wanted, modelOf(connection, name), connected(connection, successor));
    return connected(connection, name);
  }

  function connected(connection: ConnectedProvider, name: string): Model {
    const id = `${connection.provider.id}/${name}`;
    const { listed } = connection;
    // A model with a user's own key must not be shared.
    const isShared = shared.includes(connection);
    const known = isShared ? models.get(id) : undefined;
    if (known && known.listed === listed) return known.model;
    const price = options.prices[id];
    const info = { ...modelOf(connection, name), ...(price ? { price } : {}) };
    const model = options.connect(connection, info);
    if (isShared) models.set(id, { model, listed });
    return model;
  }

  function listings(ranked: readonly ConnectedProvider[]): ModelListing[] {
    const best = defaultId(ranked);
    const shown = (id: string, info: ModelInfo, connection?: ConnectedProvider): ModelListing => ({
      id,
      label: info.label ?? displayName(info.name),
      ...(connection ? { vendor: connection.provider.label } : {}),
      default: id === best,
      ...(info.contextWindow === undefined ? {} : { contextWindow: info.contextWindow }),
      supportsTools: info.supportsTools ?? true,
      supportsImages: info.supportsImages ?? false,
      ...(info.reasoning === undefined ? {} : { supportsReasoning: true }),
      ...priceOf(options.prices[id] ?? info.price),
      ...(connection && { ...originOf(connection, shared), ...retirementOf(info, connection) }),
    });
    const own = options.own ?? [];
    return [
      ...own.map(({ id, info }) => shown(id, info)),
      ...ranked.flatMap((connection) =>
        offeredModels(connection, today()).map((info) =>
          shown(`${connection.provider.id}/${info.name}`, info, connection),
        ),
      ),
    ];
  }

  async function list(keys: VendorKeys = {}): Promise<ModelListing[]> {
    const ranked = rankedFor(keys);
    await Promise.all(ranked.map((connection) => connection.refresh?.()));
    return listings(ranked);
  }

  async function named(name: string, keys: VendorKeys = {}): Promise<string | undefined> {
    const ranked = rankedFor(keys);
    const find = () => listings(ranked).find(({ id }) => id.slice(id.indexOf("/") + 1) === name)?.id;
    // The server's own model is known, whatever its vendor lists.
    const chosen = defaultId(ranked);
    const known = chosen.slice(chosen.indexOf("/") + 1) === name ? chosen : find();
    if (known !== undefined) return known;
    // A model that was shut down is offered no more, but has a successor.
    const former = ranked.find(({ provider }) =>
      provider.models.some((model) => model.name === name && model.retirement),
    );
    if (former) return `${former.provider.id}/${name}`;
    const embedding = ranked.find(({ provider }) => provider.embedders?.some((one) => one.name === name));
    if (embedding) return `${embedding.provider.id}/${name}`;
    await list(keys);
    return find();
  }

  function offeredOf(vendor: string, names: readonly string[], makesImages: boolean, keys: VendorKeys = {}) {
    const connection = rankedFor(keys).find(({ provider }) => provider.id === vendor);
    if (!connection) return undefined;
    const offered = new Set(offeredModels(connection, today()).map(({ name }) => name));
    const best = makesImages ? bestImageModel : bestModel;
    const name = names.find((one) => offered.has(one)) ?? best(connection, today())?.name;
    return name === undefined ? undefined : `${vendor}/${name}`;
  }

  function imageModel(keys: VendorKeys = {}): string | undefined {
    for (const connection of rankedFor(keys)) {
      const model = bestImageModel(connection, today());
      if (model) return `${connection.provider.id}/${model.name}`;
    }
    return undefined;
  }

  return {
    resolve,
    named,
    offeredOf,
    imageModel,
    defaultId: () => defaultId(),
    list,
    vendors(keys = {}, isOffered = () => true) {
      const connected = rankedFor(keys);
      const { providers } = options;
      return describeVendors({
        providers,
        connected,
        shared,
        added,
        keys,
        listings: (one) => listings([one]),
        isOffered,
      });
    },
    async checkKey(vendor, key, signal) {
      const server = added.find((one) => one.provider.id === vendor);
      if (server) return options.checkServer?.(server, signal) ?? { result: "unknown" };
      const provider = options.providers.find(({ id }) => id === vendor);
      return provider ? options.check(provider, key, signal) : { result: "unknown" };
    },
    setServers(servers) {
      added = servers;
      shared = inOrder([...options.connected, ...servers]);
    },
    connected: () => shared,
    known: () => options.providers,
  };
}

/** Returns the model, or what replaces it if it was shut down. */
function survivor(id: string, ranked: readonly ConnectedProvider[]): string {
  const [vendor = "", ...name] = id.split("/");
  const connection = ranked.find(({ provider }) => provider.id === vendor);
  const successor = connection && successorOf(connection, name.join("/"), today());
  return successor === undefined ? id : `${vendor}/${successor}`;
}

function inOrder(connections: readonly ConnectedProvider[]): ConnectedProvider[] {
  return [...connections].sort((left, right) => rank(left) - rank(right));
}

function rank({ provider }: ConnectedProvider): number {
  if (provider.id === "demo") return Number.POSITIVE_INFINITY;
  const place = PREFERENCE.indexOf(provider.id);
  return place === -1 ? PREFERENCE.length : place;
}

function priceOf(price: Price | undefined): Pick<ModelListing, "price"> {
  return price ? { price: { input: price.input, output: price.output } } : {};
}

/** Returns the best model of the best vendor that has one. */
function bestOf(ranked: readonly ConnectedProvider[]): string {
  for (const connection of ranked) {
    const best = bestModel(connection, today());
    if (best) return `${connection.provider.id}/${best.name}`;
  }
  return "demo/demo";
}

const DAY_MS = 86_400_000;
let day = { number: 0, name: "" };

/** Vendors shut models down by the day. Each message asks several times. */
function today(): string {
  const number = Math.floor(Date.now() / DAY_MS);
  if (number !== day.number) day = { number, name: new Date(number * DAY_MS).toISOString().slice(0, 10) };
  return day.name;
}

/** Says that a model will be shut down, and what to use then. */
function retirementOf(info: ModelInfo, connection: ConnectedProvider): Partial<ModelListing> {
  if (!info.retirement) return {};
  const { date } = info.retirement;
  const successor = replacementFor(connection, info, today());
  return {
    deprecated: true,
    ...(date === undefined ? {} : { shutdownDate: date }),
    ...(successor === undefined || successor === info.name
      ? {}
      : { successor: `${connection.provider.id}/${successor}` }),
  };
}

/** Returns the successor of a model that was shut down. Each answer comes with a warning. */
function replacing(wanted: string, { retirement }: ModelInfo, successor: Model): Model {
  const when = retirement?.date === undefined ? "" : ` on ${retirement.date}`;
  const message = `${wanted} was shut down${when}, so ${successor.id} answers instead.`;
  return {
    id: successor.id,
    info: successor.info,
    stream(request, emit, signal) {
      emit({ type: "warning", code: "MODEL_RETIRED", message });
      return successor.stream(request, emit, signal);
    },
  };
}

/** Vendors add models every week, so any name is passed on. Only the demo has a fixed list. */
function offers({ provider }: ConnectedProvider, name: string): boolean {
  return provider.id !== "demo" || provider.models.some((model) => model.name === name);
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
      `${vendor.label} is not set up: set ${vendor.keySetting} and start again, or store your own key. Ready now: ${ids.join(", ")}.`,
      { details: { field: "model" } },
    );
  }
  return new Failure(
    "INVALID_INPUT",
    `There is no model "${wanted.slice(0, 100)}". Ready now: ${ids.join(", ")}.`,
    { details: { field: "model" } },
  );
}

/** Variants that are weaker, unfinished, dearer or made for one purpose: none of them is a good default. */
const SPECIAL =
  /mini|nano|lite|tiny|preview|\bexp\b|beta|alpha|search|fast|cyber|\bpro\b|custom|coder?\b|codex|free|batch|chat|non-reasoning|multi-agent/;

/** The last result for each vendor, because every message asks: 0.07 ms instead of 2.1 with a list of 400 models. */
const offered = new WeakMap<
  ConnectedProvider,
  { listed: ConnectedProvider["listed"]; today: string; models: readonly ModelInfo[] }
>();

/**
 * Returns the models of a vendor, best first. The vendor's list is believed: what it does not name is not offered, and what it
 * names but we do not know comes last. Without a list, all known models are offered that have not been shut down.
 */
export function offeredModels(connection: ConnectedProvider, today: string): readonly ModelInfo[] {
  const { listed } = connection;
  const last = offered.get(connection);
  if (last && last.listed === listed && last.today === today) return last.models;
  const models = findOffered(connection, today);
  offered.set(connection, { listed, today, models });
  return models;
}

function findOffered({ provider, listed = [] }: ConnectedProvider, today: string): ModelInfo[] {
  if (listed.length === 0) return provider.models.filter((model) => !isShutDown(model, today));
  const named = new Map(listed.map((model) => [model.name, model]));
  const known = provider.models.flatMap(
    ({ name }) => named.get(name) ?? listed.find((one) => withoutDate(one.name) === withoutDate(name)) ?? [],
  );
  return [...new Set([...known, ...listed])]
    .map((model) => describeModel(provider, model.name, model))
    .filter(({ retirement }) => !retirement?.over);
}

/** What was found out about the models of each vendor, because every message asks. Any name is passed on, so it is bounded. */
const described = new WeakMap<
  ConnectedProvider,
  { listed: ConnectedProvider["listed"]; models: Map<string, ModelInfo> }
>();
const MOST_DESCRIBED = 500;

/** Returns what is known about a model, whether it is offered or not. */
export function modelOf(connection: ConnectedProvider, name: string): ModelInfo {
  const { provider, listed } = connection;
  let last = described.get(connection);
  if (!last || last.listed !== listed || last.models.size > MOST_DESCRIBED) {
    last = { listed, models: new Map() };
    described.set(connection, last);
  }
  let model = last.models.get(name);
  if (!model) {
    const own = listed?.find((one) => one.name === name);
    model = describeModel(provider, name, own);
    last.models.set(name, model);
  }
  return model;
}

/** Returns the vendor's best model for a conversation: the first known one that stays, otherwise the newest. */
export function bestModel(connection: ConnectedProvider, today: string): ModelInfo | undefined {
  const { provider } = connection;
  const talking = offeredModels(connection, today).filter(({ outputsImages }) => !outputsImages);
  const able = talking.filter(({ supportsTools }) => supportsTools !== false);
  const candidates = able.length > 0 ? able : talking;
  if (provider.models.length === 0) return candidates[0];
  const names = new Set(provider.models.map(({ name }) => withoutDate(name)));
  const staying = candidates.filter(({ retirement }) => !retirement);
  return staying.find(({ name }) => names.has(withoutDate(name))) ?? newestOf(staying) ?? candidates[0];
}

/** Returns the first model that makes images and stays. */
export function bestImageModel(connection: ConnectedProvider, today: string): ModelInfo | undefined {
  const makers = offeredModels(connection, today).filter(({ outputsImages }) => outputsImages);
  return makers.find(({ retirement }) => !retirement) ?? makers[0];
}

/** Returns the model to use instead of one that the vendor has shut down. Undefined if it has not. */
function successorOf(connection: ConnectedProvider, name: string, today: string): string | undefined {
  const isNamed = connection.listed?.some((model) => model.name === name);
  const model = modelOf(connection, name);
  const isGone = model.retirement?.over || (!isNamed && isShutDown(model, today));
  return isGone ? replacementFor(connection, model, today) : undefined;
}

/** Returns the model that the vendor or our table recommends instead, if it is offered, otherwise the vendor's best. */
function replacementFor(
  connection: ConnectedProvider,
  { retirement, outputsImages }: ModelInfo,
  today: string,
): string | undefined {
  const named = retirement?.successor;
  if (named !== undefined && offeredModels(connection, today).some(({ name }) => name === named))
    return named;
  return (outputsImages ? bestImageModel(connection, today) : bestModel(connection, today))?.name;
}

function isShutDown({ retirement }: ModelInfo, today: string): boolean {
  return retirement?.over === true || (retirement?.date !== undefined && retirement.date <= today);
}

function newestOf(models: readonly ModelInfo[]): ModelInfo | undefined {
  return models.toSorted(
    (left, right) =>
      Number(SPECIAL.test(left.name)) - Number(SPECIAL.test(right.name)) ||
      versionIn(right.name) - versionIn(left.name) ||
      (right.released ?? 0) - (left.released ?? 0),
  )[0];
}

/** Returns the first number in a name: 5.5 in `claude-opus-5-5-20260901`. */
function versionIn(name: string): number {
  const [, major = "0", minor = "0"] = /(\d+)(?:[-.](\d{1,2}))?(?!\d)/.exec(withoutDate(name)) ?? [];
  return Number(`${major}.${minor}`);
}
