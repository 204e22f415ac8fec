import { Failure } from "../../protocol/failure.ts";
import type { ModelInfo, Provider } from "../../protocol/model.ts";
import { readBounded } from "./body.ts";
import { providerHeaders, providerUrl } from "./exchange.ts";
import type { Transport } from "./transport.ts";

const BODY_LIMIT = 8 * 1024 * 1024;

/** Fetches the models that a vendor lists. Throws a `Failure` if it does not answer. Without a list, returns our table. */
export async function listModels(options: {
  provider: Provider;
  baseUrl?: string;
  key?: string;
  transport: Transport;
  signal: AbortSignal;
}): Promise<readonly ModelInfo[]> {
  const { provider, transport, signal } = options;
  if (!provider.list) return provider.models;
  try {
    const response = await transport.send({
      method: "GET",
      url: providerUrl(provider, options.baseUrl, provider.list.path),
      headers: { accept: "application/json", ...providerHeaders(provider, options.key) },
      signal,
    });
    const { text } = await readBounded(response.body, BODY_LIMIT, () => undefined);
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    return provider.list.read(JSON.parse(text));
  } catch (thrown) {
    throw new Failure("UPSTREAM_ERROR", `${provider.label} does not list its models now.`, { cause: thrown });
  }
}
