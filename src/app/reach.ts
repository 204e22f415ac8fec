import { proxiesIn } from "../models/proxies.ts";
import { createTransport } from "../models/transport.ts";
import { providerHeaders, providerUrl } from "../models/wire/exchange.ts";
import { type Transport, TransportError } from "../models/wire/transport.ts";
import type { ConnectedProvider } from "../protocol/catalogue.ts";
import type { Failure } from "../protocol/failure.ts";
import { isSetUp, SEARCH_PROVIDERS } from "../tools/search/providers.ts";
import type { Tackle } from "./tackle.ts";

/** Whether something outside that is configured answers, and what to do if it does not. */
export interface Reach {
  name: string;
  ok: boolean;
  detail: string;
  fix?: string;
}

type Reachable = Pick<Tackle, "config" | "models" | "files" | "store" | "mcp" | "cleanError">;

const PATIENCE_MS = 4_000;
const NOT_REACHABLE = "not reachable";

/** The outcome if the shared database does not answer. */
export const NO_DATABASE: Reach = {
  name: "PostgreSQL",
  ok: false,
  detail: NOT_REACHABLE,
  fix: "Check DATABASE_URL, and that the server is running.",
};

/** Reaches out to everything outside that is configured, at the same time and for at most a few seconds. */
export async function reachAll(tackle: Reachable): Promise<Reach[]> {
  const { config, models, mcp } = tackle;
  const vendors = models.connected().filter(({ provider }) => provider.id !== "demo");
  const servers = mcp
    .status()
    .map(
      ({ name, state, detail, tools }): Reach =>
        state === "ready"
          ? { name: `MCP ${name}`, ok: true, detail: `${tools} tools` }
          : { name: `MCP ${name}`, ok: false, detail: `${NOT_REACHABLE}: ${detail || state}` },
    );
  const transport = createTransport({ readDelay: false, proxies: await proxiesIn(config.settings) });
  const found = await Promise.all([
    reachDatabase(tackle),
    reachJournal(tackle),
    reachFiles(tackle),
    ...vendors.map((vendor) => reachVendor(vendor, transport)),
    ...searchAddresses(tackle).map((address) => reachAddress(address, askDirectly)),
  ]).finally(() => transport.close());
  return [...found.filter((one) => one !== undefined), ...servers];
}

async function reachDatabase({ config, store, cleanError }: Reachable): Promise<Reach | undefined> {
  if (config.databaseUrl === undefined) return undefined;
  const failure = await failureWithin(store.now(), cleanError);
  return failure === undefined ? { name: "PostgreSQL", ok: true, detail: "reachable" } : NO_DATABASE;
}

async function reachJournal({ store, cleanError }: Reachable): Promise<Reach | undefined> {
  if (!store.checkJournal) return undefined;
  const failure = await failureWithin(store.checkJournal(), cleanError);
  if (failure === undefined) return { name: "NATS", ok: true, detail: "all streams have a leader" };
  const fix = "Check TACKLE_JOURNAL_URL, and that most of the cluster's nodes are running.";
  return { name: "NATS", ok: false, detail: "a stream of the journal has no leader", fix };
}

async function reachFiles({ config, files, cleanError }: Reachable): Promise<Reach | undefined> {
  const { s3 } = config.files;
  if (!s3) return undefined;
  const failure = await failureWithin(files.check(), cleanError);
  if (failure === undefined) return { name: "S3", ok: true, detail: `bucket ${s3.bucket} is writable` };
  const detail = failure === "late" ? NOT_REACHABLE : failure.publicMessage;
  return { name: "S3", ok: false, detail, fix: "Check the S3 settings, and that the bucket exists." };
}

/** The models' own connections know of proxies. */
function reachVendor({ provider, baseUrl, key }: ConnectedProvider, transport: Transport): Promise<Reach> {
  const { label, keySetting, baseUrlSetting, list } = provider;
  const url = providerUrl(provider, baseUrl, list?.path ?? "");
  const address = { name: label, url, headers: providerHeaders(provider, key), keySetting, baseUrlSetting };
  return reachAddress(address, async ({ url, headers }, signal) => {
    const { status, discard } = await transport.send({ method: "GET", url, headers, signal });
    discard();
    return status;
  });
}

interface Address {
  name: string;
  url: string;
  headers: Record<string, string>;
  keySetting: string | undefined;
  baseUrlSetting: string;
}

/** The addresses of search providers that the operator has set up. Their keys are not sent: a search costs money. */
function searchAddresses({ config: { settings } }: Reachable): Address[] {
  return SEARCH_PROVIDERS.flatMap(({ id, label, baseUrl, keySetting, baseUrlSetting }) => {
    const own = settings[baseUrlSetting];
    const isChosen =
      own !== undefined || (keySetting !== undefined && isSetUp(id, { roots: [], env: settings }));
    const url = own ?? baseUrl;
    return isChosen && url
      ? [{ name: `Search: ${label}`, url, headers: {}, keySetting: undefined, baseUrlSetting }]
      : [];
  });
}

/** Returns the status of the answer. */
type Ask = (address: Address, signal: AbortSignal) => Promise<number>;

async function askDirectly({ url, headers }: Address, signal: AbortSignal): Promise<number> {
  const response = await fetch(url, { headers, redirect: "manual", signal });
  await response.body?.cancel();
  return response.status;
}

async function reachAddress(address: Address, ask: Ask): Promise<Reach> {
  const { name, keySetting, baseUrlSetting } = address;
  try {
    const status = await ask(address, AbortSignal.timeout(PATIENCE_MS));
    if (keySetting && (status === 401 || status === 403))
      return { name, ok: false, detail: "the key was refused", fix: `Check ${keySetting}.` };
    if (status < 500) return { name, ok: true, detail: "reachable" };
    return { name, ok: false, detail: `answers with status ${status}`, fix: "Try again later." };
  } catch (thrown) {
    const isProxied = thrown instanceof TransportError && thrown.stage === "proxy";
    // Whatever another reason is, the same has to be checked.
    const fix = isProxied
      ? "Check HTTPS_PROXY and its password, or name the host in NO_PROXY."
      : `Check the network and the address, which ${baseUrlSetting} sets.`;
    return { name, ok: false, detail: NOT_REACHABLE, fix };
  }
}

/** Returns why the work failed, `late` if it took too long, and undefined if it succeeded in time. */
async function failureWithin(
  work: Promise<unknown>,
  cleanError: (thrown: unknown) => Failure,
): Promise<Failure | "late" | undefined> {
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), PATIENCE_MS);
  return Promise.race([work.then(() => undefined, cleanError), late.promise]).finally(() =>
    clearTimeout(timer),
  );
}
