import type { Config } from "./config.ts";
import type { ConnectedProvider } from "./models.ts";
import { Failure } from "./protocol/failure.ts";
import type { Model, ModelInfo, Provider } from "./protocol/model.ts";
import { createTransport } from "./transport.ts";
import { DIALECTS } from "./wire/dialects.ts";
import { createModel } from "./wire/exchange.ts";

export interface Connections {
  providers: readonly Provider[];
  connected: readonly ConnectedProvider[];
  connect(connection: ConnectedProvider, info: ModelInfo): Model;
  close(): Promise<void>;
}

/** How long a server without a key may take to show that it is there. */
const PROBE_MS = 400;

/** Finds out which vendors are set up, and starts the demo model, which always is. */
export async function connectProviders(config: Config, providers: readonly Provider[]): Promise<Connections> {
  const { startDemoModel } = await import("./sim/demo/server.ts");
  const demo = await startDemoModel({ tokensPerSecond: config.demoTokensPerSecond });
  const transport = createTransport();
  const found = await Promise.all(providers.map((provider) => connection(provider, config, demo.url)));
  return {
    providers,
    connected: found.filter((one) => one !== undefined),
    connect({ provider, baseUrl, key }, modelInfo) {
      const dialectId =
        typeof provider.dialect === "string" ? provider.dialect : provider.dialect(modelInfo.name);
      const dialect = DIALECTS[dialectId];
      if (!dialect) throw new Failure("INTERNAL", `There is no dialect ${dialectId}.`);
      const deadlines = { idleMs: config.streamIdleMs };
      return createModel({
        provider,
        modelInfo,
        dialect,
        baseUrl,
        ...(key ? { key } : {}),
        transport,
        deadlines,
      });
    },
    async close() {
      await transport.close();
      await demo.close();
    },
  };
}

async function connection(
  provider: Provider,
  { settings }: Config,
  demoUrl: string,
): Promise<ConnectedProvider | undefined> {
  if (provider.id === "demo") return { provider, baseUrl: demoUrl, key: undefined };
  const address = settings[provider.baseUrlSetting];
  const baseUrl = (address ?? provider.baseUrl).replace(/\/+$/, "");
  const key = provider.keySetting ? settings[provider.keySetting] : undefined;
  if (provider.keySetting && key === undefined) return undefined;
  if (provider.keySetting) return { provider, baseUrl, key };
  const listed = await ask(provider, baseUrl);
  return listed && { provider, baseUrl, key: undefined, listed };
}

/** A vendor without a key is there when it answers with its models. */
async function ask(provider: Provider, baseUrl: string): Promise<readonly ModelInfo[] | undefined> {
  if (!provider.list) return undefined;
  try {
    const response = await fetch(baseUrl + provider.list.path, { signal: AbortSignal.timeout(PROBE_MS) });
    if (!response.ok) return undefined;
    return provider.list.read(await response.json());
  } catch {
    return undefined; // Nobody there, which is the usual case.
  }
}
