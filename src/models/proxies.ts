import type { Dispatcher, EnvHttpProxyAgent } from "undici";
import { Failure } from "../protocol/failure.ts";

/** Opens connections through proxies, and directly where none is meant. */
export type Proxies = (options: EnvHttpProxyAgent.Options) => Dispatcher;

/** No proxy has a way to this machine, where the demo model and Ollama are. */
const DIRECT = "localhost,127.0.0.1,::1";

type Settings = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxies that the settings name, or undefined if they name none. curl and most other programs read the same names, in
 * lower case first. Throws INVALID_INPUT for one that is no address.
 */
export async function proxiesIn(settings: Settings): Promise<Proxies | undefined> {
  const [http, https] = ["HTTP_PROXY", "HTTPS_PROXY"].map(
    (name) => addressIn(settings, name) ?? addressIn(settings, "ALL_PROXY"),
  );
  if (!http && !https) return undefined;
  const noProxy = [DIRECT, named(settings, "NO_PROXY")].filter(Boolean).join(",");
  // The whole package takes 30 ms and 12 MB, so it is loaded only where it is needed.
  const { default: undici } = await import("undici");
  return (options) =>
    new undici.EnvHttpProxyAgent({ ...options, httpProxy: http ?? "", httpsProxy: https ?? "", noProxy });
}

function named(settings: Settings, name: string): string | undefined {
  return settings[name.toLowerCase()] || settings[name] || undefined;
}

function addressIn(settings: Settings, name: string): string | undefined {
  const value = named(settings, name);
  if (value === undefined) return undefined;
  const address = value.includes("://") ? value : `http://${value}`;
  if (URL.canParse(address) && /^(?:https?|socks5?):/i.test(address)) return address;
  throw new Failure(
    "INVALID_INPUT",
    `${name}: must be the address of a proxy, such as http://proxy.example:3128.`,
  );
}
