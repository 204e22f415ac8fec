import type { Vault } from "../accounts/vault.ts";
import type { AddedTools, SourceDetail, ToolSource, ToolSources } from "../protocol/added-tools.ts";
import { Failure } from "../protocol/failure.ts";
import { isObject } from "../protocol/json.ts";
import type { Registry } from "../protocol/registry.ts";
import type { Store } from "../protocol/store.ts";
import type { McpServers } from "../tools/mcp/servers.ts";
import type { ApiTools } from "../tools/openapi/tools.ts";

const MOST = 50;
/** How soon another process takes over a change. */
const POLL_MS = 5_000;

/** What an administrator entered, with its secrets. */
type Entry = Record<string, unknown> & { paused?: boolean };
type Entries = Record<string, Entry>;

interface Parts {
  store: Pick<Store, "getSettings" | "putSetting">;
  vault: Vault;
  registry: Registry;
  mcp: McpServers;
  apis: ApiTools;
  /** Administrators may add programs that run here. */
  commands: boolean;
}

/** Opens the tools that administrators have added. They are stored encrypted, and other processes follow changes. */
export async function openAddedTools(parts: Parts): Promise<AddedTools & { close(): void }> {
  const { registry, mcp, apis } = parts;
  const toolsOf = (source: string) =>
    registry
      .listings()
      .filter((tool) => tool.source === source)
      .map(({ name, description, effect }) => ({
        name,
        description: description.split("\n")[0] ?? "",
        effect,
      }));
  const servers = await openSources(parts, {
    setting: "tools:mcp",
    apply: (entries) => mcp.setAdded(entries),
    known: () => mcp.details(),
    reload: (name) => mcp.restart(name),
    tools: toolsOf,
    ...(parts.commands ? {} : { check: refuseCommands }),
  });
  const documents = await openSources(parts, {
    setting: "tools:openapi",
    apply: (entries) => apis.setAdded(entries),
    known: () => apis.details(),
    reload: () => apis.reload(),
    tools: (name) => toolsOf(`openapi:${name}`),
  });
  const timer = setInterval(() => void Promise.all([servers.follow(), documents.follow()]), POLL_MS);
  timer.unref();
  const { commands } = parts;
  return { mcp: servers, openapi: documents, commands, close: () => clearInterval(timer) };
}

interface Kind {
  setting: string;
  apply(entries: Record<string, Record<string, unknown>>): Promise<void>;
  known(): SourceDetail[];
  reload(name: string): Promise<void>;
  tools(name: string): ToolSource["tools"];
  /** Throws if an entry must not be changed like this. */
  check?(change: Entry, entry?: Entry): void;
}

/** Programs that were added before can still be paused and removed. */
function refuseCommands({ paused: _, ...change }: Entry, entry?: Entry): void {
  const isProgram = change.command !== undefined || entry?.command !== undefined;
  if (!isProgram || Object.keys(change).length === 0) return;
  throw new Failure(
    "FORBIDDEN",
    "Programs that run on the server can only be added and changed in its files: TACKLE_TOOLS_FROM_WEB is 0.",
  );
}

async function openSources({ store, vault }: Parts, kind: Kind) {
  const place = { userId: "", name: kind.setting };
  let sealed: unknown;
  let entries: Entries = {};

  function open(value: unknown): Entries {
    const text = typeof value === "string" ? vault.open(value, place) : undefined;
    const read: unknown = text === undefined ? {} : JSON.parse(text);
    return isObject(read) ? (read as Entries) : {};
  }

  const applied = () =>
    kind.apply(Object.fromEntries(Object.entries(entries).filter(([, { paused }]) => !paused)));

  async function follow(): Promise<void> {
    const stored = (await store.getSettings(""))[kind.setting];
    if (stored === sealed) return;
    sealed = stored;
    entries = open(stored);
    await applied();
  }

  async function save(next: Entries): Promise<void> {
    const text = vault.seal(JSON.stringify(next), place);
    await store.putSetting("", kind.setting, text);
    sealed = text;
    entries = next;
    await applied();
  }

  function listed(name: string): ToolSource {
    const detail = kind.known().find((one) => one.name === name);
    const entry = entries[name];
    const paused = entry?.paused === true && detail?.from !== "file";
    return {
      name,
      from: "added",
      state: "unavailable",
      ...(entry && describe(entry)),
      secrets: secretsOf(entry),
      ...(paused ? {} : detail),
      paused,
      ...(paused ? { state: "paused" } : {}),
      tools: paused ? [] : kind.tools(name),
    } as ToolSource;
  }

  function own(name: string): Entry {
    if (kind.known().some((one) => one.name === name && one.from === "file"))
      throw new Failure("CONFLICT", "It is in a file of the server, and can only be changed there.");
    const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
    if (entry) return entry;
    throw new Failure("NOT_FOUND", "There is nothing of this name.");
  }

  await follow();
  const sources: ToolSources<Entry & { name: string }, Entry> = {
    async list() {
      await follow();
      const names = new Set([...kind.known().map(({ name }) => name), ...Object.keys(entries)]);
      return [...names].sort().map(listed);
    },
    async add({ name, ...entry }) {
      kind.check?.(entry);
      await follow();
      if (Object.hasOwn(entries, name) || kind.known().some((one) => one.name === name))
        throw new Failure("CONFLICT", "Something of this name is there already.");
      if (Object.keys(entries).length >= MOST)
        throw new Failure("INVALID_INPUT", `At most ${MOST} can be added. Remove one first.`);
      await save({ ...entries, [name]: entry });
      return listed(name);
    },
    async change(name, change) {
      await follow();
      const entry = own(name);
      kind.check?.(change, entry);
      await save({ ...entries, [name]: { ...entry, ...change } });
      return listed(name);
    },
    async remove(name) {
      await follow();
      own(name);
      const { [name]: _, ...rest } = entries;
      await save(rest);
    },
    async test(name) {
      await follow();
      if (!kind.known().some((one) => one.name === name)) own(name);
      await kind.reload(name);
      return listed(name);
    },
  };
  return { ...sources, follow };
}

function describe({ command, args, url }: Entry): Partial<ToolSource> {
  return {
    ...(typeof command === "string" ? { command } : {}),
    ...(Array.isArray(args) ? { args: args.map(String) } : {}),
    ...(typeof url === "string" ? { url } : {}),
  };
}

/** The names of what is secret in an entry. */
function secretsOf(entry: Entry | undefined): string[] {
  const { env, headers, auth, oauth } = entry ?? {};
  return [
    ...Object.keys(isObject(env) ? env : {}),
    ...Object.keys(isObject(headers) ? headers : {}),
    ...(auth === undefined ? [] : ["key"]),
    ...(oauth === undefined ? [] : ["oauth"]),
  ];
}
