import type { ListCache } from "../models/list-cache.ts";
import { formsOf } from "../models/provider-forms.ts";
import compatible from "../models/providers/openai-compatible.ts";
import { proxiesIn } from "../models/proxies.ts";
import { createTransport } from "../models/transport.ts";
import { createVendorLists, type VendorLists } from "../models/vendor-lists.ts";
import { checkKey } from "../models/vendors.ts";
import { DIALECTS } from "../models/wire/dialects.ts";
import { createModel } from "../models/wire/exchange.ts";
import type { Transport } from "../models/wire/transport.ts";
import type { ConnectedProvider, KeyCheck } from "../protocol/catalogue.ts";
import { Failure } from "../protocol/failure.ts";
import type { Model, ModelInfo } from "../protocol/model.ts";
import type { NewModelServer } from "../protocol/model-servers.ts";
import type { Provider } from "../protocol/provider.ts";
import type { Config } from "./config.ts";

export interface Connections {
  providers: readonly Provider[];
  connected: readonly ConnectedProvider[];
  connect(connection: ConnectedProvider, info: ModelInfo): Model;
  /** A vendor with a user's own key, at the operator's base URL. Undefined if the vendor takes no key. */
  connectWithKey(provider: Provider, key: string): ConnectedProvider | undefined;
  /** Tries a key, or without one what is set up, by a request that costs nothing. */
  check(provider: Provider, key: string | undefined, signal: AbortSignal): Promise<KeyCheck>;
  /** A server that an administrator added, with a way to try it. */
  connectServer(server: NewModelServer): {
    connected: ConnectedProvider;
    check(signal: AbortSignal): Promise<KeyCheck>;
  };
  checkServer(server: ConnectedProvider, signal: AbortSignal): Promise<KeyCheck>;
  close(): Promise<void>;
}

/** How long to wait for a local server to answer. */
const PROBE_MS = 400;
/** How many connections with people's own keys are remembered, with their lists. */
const MOST_PERSONAL = 1_000;

/** Finds the vendors that are set up, and starts the demo model. */
export async function connectProviders(
  config: Config,
  providers: readonly Provider[],
  cache?: ListCache,
  wrapTransport: (transport: Transport) => Transport = (transport) => transport,
): Promise<Connections> {
  const { startDemoModel } = await import("../sim/demo/model.ts");
  const demo = await startDemoModel({ tokensPerSecond: config.demoTokensPerSecond });
  const proxies = await proxiesIn(config.settings);
  const transport = wrapTransport(
    createTransport({ proxies, ...(config.readBackoff ? {} : { readDelay: false }) }),
  );
  const lists = createVendorLists(transport, cache);
  const found = await Promise.all(providers.map((provider) => connection(provider, config, demo.url, lists)));
  const shared = found.filter((one) => one !== undefined);
  const personal = new Map<string, ConnectedProvider>();
  const checkServer = ({ provider, baseUrl, key }: ConnectedProvider, signal: AbortSignal) =>
    checkKey({ provider, baseUrl, key, transport, signal });
  return {
    providers,
    connected: shared,
    connect({ provider, baseUrl, key }, modelInfo) {
      const dialectId =
        typeof provider.dialect === "string" ? provider.dialect : provider.dialect(modelInfo.name);
      const dialect = DIALECTS[dialectId];
      if (!dialect) throw new Failure("INTERNAL", `There is no dialect ${dialectId}.`);
      const deadlines = { idleMs: config.streamIdleMs };
      const switched = withSwitches(provider, config.settings);
      return createModel({ provider: switched, modelInfo, dialect, baseUrl, key, transport, deadlines });
    },
    connectWithKey(provider, key) {
      const baseUrl = config.settings[provider.baseUrlSetting] ?? provider.baseUrl;
      if (provider.keySetting === undefined || baseUrl === "") return undefined;
      const id = `${provider.id} ${key}`;
      const known = personal.get(id);
      if (known) return known;
      const [oldest] = personal.keys();
      if (personal.size >= MOST_PERSONAL && oldest !== undefined) personal.delete(oldest);
      // Until its own list is known, that of the server's key is the best guess.
      const listed = shared.find((one) => one.provider.id === provider.id)?.listed;
      const connected: ConnectedProvider = { provider, baseUrl, key, listed };
      lists.follow(connected, [provider]);
      personal.set(id, connected);
      void connected.refresh?.();
      return connected;
    },
    async check(described, given, signal) {
      const known = shared.find(({ provider }) => provider.id === described.id);
      const { provider, key = given } = { provider: described, ...known, ...(given && { key: given }) };
      const baseUrl = known?.baseUrl ?? config.settings[provider.baseUrlSetting] ?? provider.baseUrl;
      if (baseUrl === "") return { result: "unknown" };
      return checkKey({ provider, baseUrl, key, transport, signal });
    },
    connectServer({ name, url, key }) {
      const provider = { ...compatible, id: name, label: name };
      const connected: ConnectedProvider = { provider, baseUrl: url, key };
      lists.follow(connected, [provider]);
      return { connected, check: (signal) => checkServer(connected, signal) };
    },
    checkServer,
    async close() {
      await lists.close();
      await transport.close();
      await demo.close();
    },
  };
}

/** Adds the quirks that the operator switched on. */
function withSwitches(provider: Provider, settings: Config["settings"]): Provider {
  const on = Object.entries(provider.switches ?? {}).filter(([setting]) => settings[setting] === "1");
  const quirks = { ...provider.quirks, ...Object.fromEntries(on.map(([, quirk]) => [quirk, true])) };
  return on.length === 0 ? provider : { ...provider, quirks };
}

async function connection(
  described: Provider,
  { settings, demoContextWindow }: Config,
  demoUrl: string,
  lists: VendorLists,
): Promise<ConnectedProvider | undefined> {
  if (described.id === "demo")
    return {
      provider: withWindow(described, demoContextWindow),
      baseUrl: demoUrl,
      key: undefined,
    };
  const baseUrl = settings[described.baseUrlSetting] ?? described.baseUrl;
  const forms = formsOf(described, baseUrl, settings);
  const [provider] = forms;
  const key = provider.keySetting ? settings[provider.keySetting] : undefined;
  const needsKey = provider.keySetting !== undefined && !provider.keyOptional;
  if (baseUrl === "" || (needsKey && key === undefined)) return undefined;
  const connected: ConnectedProvider = { provider, baseUrl, key };
  lists.follow(connected, forms);
  if (needsKey) {
    await lists.recall(connected);
    return connected;
  }
  try {
    await lists.fetch(connected, forms, PROBE_MS);
  } catch {
    // A local server counts only while it answers. A base URL that was set counts always.
    if (settings[provider.baseUrlSetting] === undefined) return undefined;
  }
  return connected;
}

/** A small window lets people see how long conversations are summarized. */
function withWindow(provider: Provider, contextWindow: number): Provider {
  return { ...provider, models: provider.models.map((model) => ({ ...model, contextWindow })) };
}
