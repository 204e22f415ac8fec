import type { ConnectedProvider } from "../protocol/catalogue.ts";
import type { Provider } from "../protocol/provider.ts";
import type { ListCache } from "./list-cache.ts";
import { listModels } from "./wire/models.ts";
import type { Transport } from "./wire/transport.ts";

const LIST_MS = 5_000;
const LIST_AGE_MS = 60 * 60_000;
/** How long to wait after a model list could not be fetched. */
const LIST_RETRY_MS = 60_000;

export interface VendorLists {
  /** Has `refresh` fetch the vendor's list into its connection, in one of these forms, whenever it is old. */
  follow(connected: ConnectedProvider, forms: readonly Provider[]): void;
  /** Fetches the list now. Throws a `Failure` if the vendor does not answer in time. */
  fetch(connected: ConnectedProvider, forms: readonly Provider[], ms: number): Promise<void>;
  /** Takes the last list that was kept, and keeps the next ones. */
  recall(connected: ConnectedProvider): Promise<void>;
  /** Stops fetching. */
  close(): Promise<void>;
}

/** Fetches the model lists of vendors. */
export function createVendorLists(transport: Transport, cache: ListCache | undefined): VendorLists {
  const stop = new AbortController();
  const underWay = new Set<Promise<void>>();
  const kept = new WeakSet<ConnectedProvider>();

  async function fetchForm(connected: ConnectedProvider, provider: Provider, signal: AbortSignal) {
    const { baseUrl, key } = connected;
    let body: unknown;
    const onBody = (received: unknown) => {
      body = received;
    };
    connected.listed = await listModels({ provider, baseUrl, key, transport, signal, onBody });
    connected.provider = provider;
    if (body !== undefined && kept.has(connected)) await cache?.keep(provider, baseUrl, body);
  }

  async function fetch(connected: ConnectedProvider, forms: readonly Provider[], ms: number): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(ms), stop.signal]);
    const [usual = connected.provider, other] = forms;
    await fetchForm(connected, usual, signal).catch((thrown: unknown) => {
      if (!other) throw thrown;
      return fetchForm(connected, other, signal);
    });
  }

  return {
    follow(connected, forms) {
      let nextAt = 0;
      let current: Promise<void> | undefined;
      // A vendor that did not answer last time is asked again, but not waited for.
      let hasFailed = false;
      connected.refresh = () => {
        if (current) return hasFailed ? Promise.resolve() : current;
        if (stop.signal.aborted || performance.now() < nextAt) return Promise.resolve();
        const work = fetch(connected, forms, LIST_MS)
          .then(
            () => false,
            // Without a new list the last one is used, or our own facts.
            () => true,
          )
          .then((failed) => {
            hasFailed = failed;
            nextAt = performance.now() + (failed ? LIST_RETRY_MS : LIST_AGE_MS);
            current = undefined;
            underWay.delete(work);
          });
        current = work;
        underWay.add(work);
        return hasFailed ? Promise.resolve() : work;
      };
    },
    fetch,
    async recall(connected) {
      kept.add(connected);
      connected.listed ??= await cache?.read(connected.provider, connected.baseUrl);
    },
    async close() {
      stop.abort();
      await Promise.all(underWay);
    },
  };
}
