import type { Vault } from "../accounts/vault.ts";
import type { ConnectedProvider, ModelCatalogue } from "../protocol/catalogue.ts";
import { Failure } from "../protocol/failure.ts";
import { isObject } from "../protocol/json.ts";
import {
  type ModelServer,
  type ModelServers,
  type NewModelServer,
  newModelServer,
} from "../protocol/model-servers.ts";
import type { Store } from "../protocol/store.ts";
import type { Connections } from "./connect-providers.ts";

const SETTING = "models:servers";
const PLACE = { userId: "", name: SETTING };
const MOST = 20;
/** How soon another process takes over a change. */
const POLL_MS = 5_000;
const CHECK_MS = 10_000;

const PROBLEMS = {
  refused: "The server did not accept the request. Check the key.",
  unreachable: "Nothing answers at this address. Check it, and that the server can be reached from here.",
  busy: "The server is busy. Try again in a minute.",
  exhausted: "The credit of this key is used up.",
  unknown: "The server does not say which models it has.",
} as const;

interface Parts {
  store: Pick<Store, "getSettings" | "putSetting">;
  vault: Vault;
  catalogue: Pick<ModelCatalogue, "setServers" | "known">;
  connections: Pick<Connections, "connectServer">;
}

/** Opens the model servers that administrators have added. They are stored encrypted, and other processes follow changes. */
export async function openModelServers(parts: Parts): Promise<ModelServers & { close(): void }> {
  const { store, vault, catalogue, connections } = parts;
  let sealed: unknown;
  let entries: NewModelServer[] = [];
  let connected = new Map<string, ConnectedProvider>();

  function apply(next: NewModelServer[]): void {
    entries = next;
    connected = new Map(
      entries.map((entry) => [
        entry.name,
        isSame(connected.get(entry.name), entry) ?? connections.connectServer(entry).connected,
      ]),
    );
    catalogue.setServers([...connected.values()]);
    for (const one of connected.values()) void one.refresh?.();
  }

  async function follow(): Promise<void> {
    const stored = (await store.getSettings(""))[SETTING];
    if (stored === sealed) return;
    sealed = stored;
    apply(typeof stored === "string" ? readEntries(vault.open(stored, PLACE)) : []);
  }

  async function save(next: NewModelServer[]): Promise<void> {
    const text = vault.seal(JSON.stringify(next), PLACE);
    await store.putSetting("", SETTING, text);
    sealed = text;
    apply(next);
  }

  const shown = ({ name, url, key }: NewModelServer): ModelServer => ({
    name,
    url: url.split("?")[0] ?? "",
    hasKey: key !== undefined,
    models: connected.get(name)?.listed?.length ?? 0,
  });

  await follow();
  const timer = setInterval(() => void follow(), POLL_MS);
  timer.unref();
  return {
    async list() {
      await follow();
      return entries.map(shown);
    },
    async add(entry) {
      await follow();
      const isTaken = [...catalogue.known().map(({ id }) => id), ...connected.keys()].includes(entry.name);
      if (isTaken) throw new Failure("CONFLICT", "A service of this name is there already.");
      if (entries.length >= MOST)
        throw new Failure("INVALID_INPUT", `At most ${MOST} can be added. Remove one first.`);
      const tried = connections.connectServer(entry);
      const { result } = await tried.check(AbortSignal.timeout(CHECK_MS));
      if (result !== "works") throw new Failure("INVALID_INPUT", PROBLEMS[result]);
      await tried.connected.refresh?.();
      if (!tried.connected.listed?.length) throw new Failure("INVALID_INPUT", PROBLEMS.unknown);
      connected.set(entry.name, tried.connected);
      await save([...entries, entry]);
      return shown(entry);
    },
    async remove(name) {
      await follow();
      if (!entries.some((entry) => entry.name === name))
        throw new Failure("NOT_FOUND", "There is no server with this name.");
      await save(entries.filter((entry) => entry.name !== name));
    },
    close: () => clearInterval(timer),
  };
}

function isSame(known: ConnectedProvider | undefined, { url, key }: NewModelServer) {
  return known?.baseUrl === url && known.key === key ? known : undefined;
}

function readEntries(text: string | undefined): NewModelServer[] {
  const read: unknown = text === undefined ? [] : JSON.parse(text);
  if (!Array.isArray(read)) return [];
  return read.filter(isObject).flatMap((one) => newModelServer.safeParse(one).data ?? []);
}
