import { Failure } from "../../protocol/failure.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { ModelInfo } from "../../protocol/model.ts";
import type { Provider } from "../../protocol/provider.ts";
import { readBounded } from "./body.ts";
import { providerHeaders, providerUrl } from "./exchange.ts";
import type { Transport } from "./transport.ts";

const BODY_LIMIT = 8 * 1024 * 1024;
const DESCRIPTION_MS = 2_000;

interface ListOptions {
  provider: Provider;
  baseUrl?: string;
  key?: string;
  transport: Transport;
  signal: AbortSignal;
  /** Gets a list as it came. */
  onBody?: ((body: unknown) => void) | undefined;
}

/** Fetches the models that a vendor lists. Throws a `Failure` if it does not answer. Without a list, returns our table. */
export async function listModels(options: ListOptions): Promise<readonly ModelInfo[]> {
  const { provider, signal } = options;
  if (!provider.list) return provider.models;
  const { path, otherPath, read, each } = provider.list;
  try {
    const body = await fetchJson(options, path, undefined, signal).catch((thrown: unknown) => {
      if (otherPath === undefined) throw thrown;
      return fetchJson(options, otherPath, undefined, signal);
    });
    const models = read(body);
    if (models.length > 0) options.onBody?.(body);
    if (!each) return models;
    const described = models.map(async (model) => {
      const patience = AbortSignal.timeout(DESCRIPTION_MS);
      try {
        return each.read(model, await fetchJson(options, each.path, each.body(model), patience));
      } catch {
        return model; // It works without a description, only less well.
      }
    });
    return (await Promise.all(described)).filter((model) => model !== undefined);
  } catch (thrown) {
    throw new Failure("UPSTREAM_ERROR", `${provider.label} does not list its models now.`, { cause: thrown });
  }
}

/** Asks for something free that needs the key. Returns the answer, or undefined if there is nothing to ask for. */
export async function tryKey(options: ListOptions): Promise<{ status: number; text: string } | undefined> {
  const path = options.provider.keyCheckPath ?? options.provider.list?.path;
  if (path === undefined) return undefined;
  return send(options, path, undefined, options.signal);
}

async function fetchJson(
  options: ListOptions,
  path: string,
  body: JsonObject | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  const { status, text } = await send(options, path, body, signal);
  if (status !== 200) throw new Error(`status ${status}`);
  return JSON.parse(text);
}

async function send(
  { provider, baseUrl, key, transport }: ListOptions,
  path: string,
  body: JsonObject | undefined,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  const response = await transport.send({
    method: body ? "POST" : "GET",
    url: providerUrl(provider, baseUrl, path),
    headers: {
      accept: "application/json",
      ...(body && { "content-type": "application/json" }),
      ...providerHeaders(provider, key),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal,
  });
  const { text } = await readBounded(response.body, BODY_LIMIT, () => undefined);
  return { status: response.status, text };
}
