import type { Vault } from "../accounts/vault.ts";
import type { AddedTools, SourceDetail, ToolSource, ToolSources } from "../protocol/added-tools.ts";
import { Failure } from "../protocol/failure.ts";
import { isObject } from "../protocol/json.ts";
import type { StoredError } from "../protocol/ledger.ts";
import type { Registry } from "../protocol/registry.ts";
import type { Store } from "../protocol/store.ts";
import type { McpServers } from "../tools/mcp/servers.ts";
import type { ApiTools } from "../tools/openapi/tools.ts";
import type { UserTools } from "../tools/user-tools.ts";

const MOST = 50;
/** How soon another process takes over a change. */
const POLL_MS = 5_000;
/** The newest failures of all tools that are looked through, and those that are shown of one source. */
const RECENT_ERRORS = 1_000;
const SHOWN_ERRORS = 5;

/** What an administrator entered, with its secrets. */
type Entry = Record<string, unknown> & { paused?: boolean };
type Entries = Record<string, Entry>;

interface Parts {
  store: Pick<Store, "getSettings" | "putSetting" | "listErrors">;
  vault: Vault;
  registry: Registry;
  mcp: McpServers;
  apis: ApiTools;
  own: UserTools;
  /** Administrators may add programs that run here. */
  commands: boolean;
}

/** Opens the tools that administrators have added. They are stored encrypted, and other processes follow changes. */
export async function openAddedTools(parts: Parts): Promise<AddedTools & { close(): void }> {
  const { registry, mcp, apis, own } = parts;
  const toolsOf = (source: string, isOne = (_name: string) => true) =>
    registry
      .listings()
      .filter((tool) => tool.source === source && isOne(tool.name))
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
    tools: (name) => toolsOf(name),
    hasTool: (name, tool) => tool.startsWith(`${name}.`),
    ...(parts.commands ? {} : { check: refuseCommands }),
  });
  const documents = await openSources(parts, {
    setting: "tools:openapi",
    apply: (entries) => apis.setAdded(entries),
    known: () => apis.details(),
    reload: () => apis.reload(),
    tools: (name) => toolsOf(`openapi:${name}`),
    hasTool: (name, tool) => tool.startsWith(`${name}.`),
  });
  const { commands } = parts;
  const user = await openSources(parts, {
    setting: "tools:user",
    apply: (entries, paused) => own.set(codeIn(entries), paused),
    known: () => own.details(),
    reload: () => own.reload(),
    tools: (name) => toolsOf("user", (tool) => tool === own.toolOf(name)),
    hasTool: (name, tool) => tool === own.toolOf(name),
    canPauseFiles: true,
    async check({ code }, _entry, name) {
      if (typeof code !== "string") return;
      if (!commands) throw new Failure("FORBIDDEN", NO_CODE);
      await own.check(name, code);
    },
  });
  const all = [servers, documents, user];
  const timer = setInterval(() => void Promise.all(all.map((sources) => sources.follow())), POLL_MS);
  timer.unref();
  return { mcp: servers, openapi: documents, user, commands, close: () => clearInterval(timer) };
}

const NO_CODE =
  "Tools that run on the server can only be added and changed in its files: TACKLE_TOOLS_FROM_WEB is 0.";

function codeIn(entries: Entries): Record<string, string> {
  return Object.fromEntries(
    Object.entries(entries).flatMap(([name, { code }]) => (typeof code === "string" ? [[name, code]] : [])),
  );
}

interface Kind {
  setting: string;
  /** Applies what is not paused. `paused` has the names of the others, those of files too. */
  apply(entries: Entries, paused: ReadonlySet<string>): Promise<void>;
  known(): SourceDetail[];
  reload(name: string): Promise<void>;
  tools(name: string): ToolSource["tools"];
  /** Whether a tool is one of this source. */
  hasTool(name: string, tool: string): boolean;
  /** What appears in a file can be paused here, though not changed or removed. */
  canPauseFiles?: boolean;
  /** Throws if an entry must not be changed like this. */
  check?(change: Entry, entry: Entry | undefined, name: string): Promise<void> | void;
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

  function applied(): Promise<void> {
    const all = Object.entries(entries);
    const paused = new Set(all.filter(([, entry]) => entry.paused).map(([name]) => name));
    return kind.apply(Object.fromEntries(all.filter(([name]) => !paused.has(name))), paused);
  }

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

  const isInFile = (name: string) => kind.known().some((one) => one.name === name && one.from === "file");

  function listed(name: string, errors: readonly StoredError[]): ToolSource {
    const detail = kind.known().find((one) => one.name === name);
    const entry = entries[name];
    const paused = entry?.paused === true && (detail?.from !== "file" || kind.canPauseFiles === true);
    return {
      name,
      from: detail?.from ?? "added",
      state: "unavailable",
      ...(entry && describe(entry)),
      secrets: secretsOf(entry),
      ...(paused ? {} : detail),
      paused,
      ...(paused ? { state: "paused" } : {}),
      tools: paused ? [] : kind.tools(name),
      errors: errors
        .filter(({ source }) => source.startsWith(TOOL) && kind.hasTool(name, source.slice(TOOL.length)))
        .slice(0, SHOWN_ERRORS)
        .map(({ at, code }) => ({ at, code })),
    } as ToolSource;
  }

  const one = async (name: string) => listed(name, await store.listErrors(RECENT_ERRORS));

  function own(name: string, change?: Entry): Entry {
    if (isInFile(name)) {
      const isPause = change !== undefined && Object.keys(change).every((key) => key === "paused");
      if (kind.canPauseFiles && isPause) return {};
      throw new Failure("CONFLICT", "It is in a file of the server, and can only be changed there.");
    }
    const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
    if (entry) return entry;
    throw new Failure("NOT_FOUND", "There is nothing with this name.");
  }

  await follow();
  const sources: ToolSources<Entry & { name: string }, Entry> = {
    async list() {
      await follow();
      const added = Object.keys(entries).filter((name) => !kind.canPauseFiles || hasCode(entries[name]));
      const names = new Set([...kind.known().map(({ name }) => name), ...added]);
      const errors = await store.listErrors(RECENT_ERRORS);
      return [...names].sort().map((name) => listed(name, errors));
    },
    async add({ name, ...entry }) {
      await kind.check?.(entry, undefined, name);
      await follow();
      if (Object.hasOwn(entries, name) || kind.known().some((one) => one.name === name))
        throw new Failure("CONFLICT", "Something with this name already exists.");
      if (Object.keys(entries).length >= MOST)
        throw new Failure("INVALID_INPUT", `At most ${MOST} can be added. Remove one first.`);
      await save({ ...entries, [name]: entry });
      return one(name);
    },
    async change(name, change) {
      await follow();
      const entry = own(name, change);
      await kind.check?.(change, entry, name);
      await save({ ...entries, [name]: { ...entry, ...change } });
      return one(name);
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
      return one(name);
    },
  };
  return { ...sources, follow };
}

const TOOL = "tool:";

/** Of a file, only whether it is paused is stored. */
function hasCode(entry: Entry | undefined): boolean {
  return typeof entry?.code === "string";
}

function describe({ command, args, url, code }: Entry): Partial<ToolSource> {
  return {
    ...(typeof code === "string" ? { code } : {}),
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
