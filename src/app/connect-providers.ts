import { formsOf } from "../models/provider-forms.ts";
import { createTransport } from "../models/transport.ts";
import { DIALECTS } from "../models/wire/dialects.ts";
import { createModel } from "../models/wire/exchange.ts";
import { listModels } from "../models/wire/models.ts";
import type { Transport } from "../models/wire/transport.ts";
import type { ConnectedProvider } from "../protocol/catalogue.ts";
import { Failure } from "../protocol/failure.ts";
import type { Model, ModelInfo, Provider } from "../protocol/model.ts";
import type { Config } from "./config.ts";

export interface Connections {
  providers: readonly Provider[];
  connected: readonly ConnectedProvider[];
  connect(connection: ConnectedProvider, info: ModelInfo): Model;
  /** A vendor with a user's own key, at the operator's base URL. Undefined if the vendor takes no key. */
  connectWithKey(provider: Provider, key: string): ConnectedProvider | undefined;
  close(): Promise<void>;
}

/** How long to wait for a local server to answer. */
const PROBE_MS = 400;
const LIST_MS = 5_000;
const LIST_AGE_MS = 60 * 60_000;
/** How long to wait after a model list could not be fetched. */
const LIST_RETRY_MS = 60_000;

/** Finds the vendors that are set up, and starts the demo model. */
export async function connectProviders(config: Config, providers: readonly Provider[]): Promise<Connections> {
  const { startDemoModel } = await import("../sim/demo/model.ts");
  const demo = await startDemoModel({ tokensPerSecond: config.demoTokensPerSecond });
  const transport = createTransport(config.readBackoff ? {} : { readDelay: false });
  const found = await Promise.all(
    providers.map((provider) => connection(provider, config, demo.url, transport)),
  );
  return {
    providers,
    connected: found.filter((one) => one !== undefined),
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
      return { provider, baseUrl, key, refresh: async () => {} };
    },
    async close() {
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
  { settings }: Config,
  demoUrl: string,
  transport: Transport,
): Promise<ConnectedProvider | undefined> {
  if (described.id === "demo")
    return { provider: described, baseUrl: demoUrl, key: undefined, refresh: async () => {} };
  const baseUrl = settings[described.baseUrlSetting] ?? described.baseUrl;
  const [provider, ...others] = formsOf(described, baseUrl, settings);
  const key = provider.keySetting ? settings[provider.keySetting] : undefined;
  const needsKey = provider.keySetting !== undefined && !provider.keyOptional;
  if (baseUrl === "" || (needsKey && key === undefined)) return undefined;
  const connected: ConnectedProvider = { provider, baseUrl, key, refresh: async () => {} };
  const list = async (ms: number) => {
    const signal = AbortSignal.timeout(ms);
    const fetchList = (form: Provider) => listModels({ provider: form, baseUrl, key, transport, signal });
    const [other] = others;
    try {
      const listed = await fetchList(provider);
      connected.provider = provider;
      return listed;
    } catch (thrown) {
      if (!other) throw thrown;
      const listed = await fetchList(other);
      connected.provider = other;
      return listed;
    }
  };
  if (!needsKey) {
    try {
      connected.listed = await list(PROBE_MS);
    } catch {
      // A local server counts only while it answers. A base URL that was set counts always.
      if (settings[provider.baseUrlSetting] === undefined) return undefined;
    }
  }
  connected.refresh = remembering(async () => {
    connected.listed = await list(LIST_MS);
  });
  return connected;
}

/** Fetches the list at most once an hour. Without it, our own list is used. */
function remembering(fetchList: () => Promise<void>): () => Promise<void> {
  let nextAt = 0;
  let underWay: Promise<void> | undefined;
  return () => {
    if (underWay) return underWay;
    if (performance.now() < nextAt) return Promise.resolve();
    underWay = fetchList()
      .then(() => performance.now() + LIST_AGE_MS)
      .catch(() => performance.now() + LIST_RETRY_MS)
      .then((next) => {
        nextAt = next;
        underWay = undefined;
      });
    return underWay;
  };
}
