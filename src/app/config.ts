import { delimiter, join } from "node:path";
import { z } from "zod";
import { parseHostRule } from "../contain/command/hosts.ts";
import { readTraceSettings, type TraceSettings } from "../observe/trace/settings.ts";
import { type Allowance, type RequestLimits, requestLimits } from "../protocol/limits.ts";
import type { ServerLimits } from "../runs/turn-parts.ts";
import type { RetentionDays } from "../store/retention.ts";
import { isInside } from "../workspace/read-text.ts";
import { type AccessSettings, type ReadSetting, readAccess, webAddress } from "./access-settings.ts";
import { badSetting } from "./bad-setting.ts";
import { defaultDataDirectory } from "./data-directory.ts";
import { resolvePath } from "./own-path.ts";
import { cleanPasted } from "./pasted-settings.ts";
import { VENDOR_ADDRESSES } from "./setting-names.ts";
import { problemOf } from "./setting-problem.ts";
import { FILE_NAME, readSettingsFile } from "./settings-file.ts";

/** Dollars per million tokens, by `provider/model`. */
const prices = z.record(
  z.string(),
  z.strictObject({
    input: z.number().min(0),
    output: z.number().min(0),
    cachedInput: z.number().min(0).optional(),
  }),
);

/** Dollars per search, by provider. */
const searchPrices = z.partialRecord(z.enum(["tavily", "exa", "searxng", "duckduckgo"]), z.number().min(0));

const COLLECTOR_ADDRESSES = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];

export interface Config extends AccessSettings {
  host: string;
  port: number;
  dataDir: string;
  /** The PostgreSQL database that instances share. Without it, everything is in the data directory. */
  databaseUrl: string | undefined;
  /** The NATS cluster that keeps the events of active runs. Without it, they are in the database. */
  journalUrl: string | undefined;
  /** The most database connections of this process. */
  databasePool: number;
  /** How long a run stays with an instance that no longer renews its lease. */
  leaseMs: number;
  /** How long the server may take to stop. Most of it is for active runs. */
  graceMs: number;
  /** How many days things are kept: the events of a finished run, unused sessions, files, the audit log. 0 is forever. */
  keptDays: RetentionDays;
  /** How many worker processes serve. `auto` is as many as pay off. */
  processes: number | "auto";
  /** The most event streams at once. A busy process accepts fewer. */
  maxStreams: number;
  /** `provider/model`, if one was chosen. */
  model: string | undefined;
  /** `provider/model` that tells what the files of projects mean. */
  embeddingModel: string | undefined;
  roots: string[];
  /** Uses the instructions and skills of the roots without asking. */
  trustRoots: boolean;
  /** How deep child runs may be nested. */
  delegateDepth: number;
  /** `host:port` of private addresses that tools may reach. */
  fetchAllow: string[];
  /** `host:port` of push services that may be private. */
  pushAllow: string[];
  /** The operator's service that is told what waits, ends and fails. */
  webhookUrl: string | undefined;
  webhookSecret: string | undefined;
  /** Hosts that commands may reach through a proxy. */
  sandboxHosts: string[];
  /** Limits on files, and where they are stored: on disk unless a bucket is set. */
  files: { maxBytes: number; quotaBytes: number; s3: S3Settings | undefined };
  toolsDir: string;
  /** Administrators may add programs that run on the server. */
  toolsFromWeb: boolean;
  policyFile: string;
  /** MCP servers, in the `mcpServers` format. */
  mcpFile: string;
  /** OpenAPI documents whose operations become tools. */
  openApiFile: string;
  loop: ServerLimits;
  toolTimeoutMs: number;
  streamIdleMs: number;
  /** Batches reads from models while the event loop is busy. */
  readBackoff: boolean;
  requestLimits: RequestLimits;
  /** The rows of `TACKLE_LIMITS` that the operator has set. */
  fixedLimits: readonly string[];
  /** The operator's own prices. They override our table. */
  prices: z.output<typeof prices>;
  /** The context window of the demo model. */
  demoContextWindow: number;
  /** Tokens per second of the demo model. 0 is unlimited. */
  demoTokensPerSecond: number;
  logLevel: string;
  /** Where traces are sent. Undefined without a collector. */
  tracing: TraceSettings | undefined;
  /** All settings as text. The environment overrides the file. Vendor keys and URLs are read from here. */
  settings: Readonly<Record<string, string | undefined>>;
  /** The names in `tackle.config.json`. */
  namesInFile: readonly string[];
}

export interface S3Settings {
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface ConfigSources {
  env: Readonly<Record<string, string | undefined>>;
  /** From the command line. They override everything else. */
  overrides?: {
    host?: string;
    port?: string;
    data?: string;
    model?: string;
    trust?: boolean;
    processes?: string;
  };
  /** Uses the terminal's defaults: the current directory as root, and longer runs. */
  terminal?: boolean;
  cwd: string;
}

const MEGABYTE = 1024 * 1024;
const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);

/** Reads all settings and checks them. Throws INVALID_INPUT with one line that names the setting. */
export function loadConfig({ env, overrides = {}, terminal = false, cwd }: ConfigSources): Config {
  const dataDir = resolvePath(cwd, overrides.data ?? defaultDataDirectory(env));
  const fromFile = readSettingsFile(join(dataDir, FILE_NAME));
  const settings = cleanPasted({ ...fromFile, ...withoutEmpty(env) });
  const read = <Output>(name: string, schema: z.ZodType<Output>): Output =>
    readSetting(name, settings[name], schema);

  const host = overrides.host ?? read("HOST", z.string().default("127.0.0.1"));
  const loopback = LOOPBACK.has(host);
  const auth = read(
    "TACKLE_AUTH",
    z.enum(["none", "guest", "required"]).default(loopback ? "none" : "guest"),
  );
  if (auth === "none" && !loopback && !terminal) {
    throw badSetting(
      "TACKLE_AUTH",
      `none would give everyone on the network full access to ${host}; use guest or required`,
    );
  }
  checkOthers(read);
  const limits = read("TACKLE_LIMITS", jsonOf(requestLimits).prefault("{}"));
  const roots = rootsOf(settings.TACKLE_ROOTS, terminal, cwd);
  const ownFile = (name: string, usual: string) => {
    const file = resolvePath(cwd, settings[name] ?? join(dataDir, usual));
    if (!isInside(dataDir, file) && roots.some((root) => isInside(root, file))) {
      throw badSetting(
        name,
        "lies in a folder that tools may write to, so a tool could allow itself anything",
      );
    }
    return file;
  };
  return {
    host,
    port: readSetting("PORT", overrides.port ?? settings.PORT, wholeNumber(0, 65_535).default(8787)),
    dataDir,
    databaseUrl: read("DATABASE_URL", databaseUrl.optional()),
    journalUrl: readJournal(settings, read),
    databasePool: read("TACKLE_DATABASE_POOL", wholeNumber(1, 1_000).default(10)),
    leaseMs: read("TACKLE_LEASE_MS", wholeNumber(100, 3_600_000).default(15_000)),
    graceMs: read("TACKLE_GRACE_MS", wholeNumber(1_000, 3_600_000).default(10_000)),
    keptDays: readKeptDays(read),
    processes: readSetting("TACKLE_PROCESSES", overrides.processes ?? settings.TACKLE_PROCESSES, processes),
    maxStreams: read("TACKLE_MAX_STREAMS", wholeNumber(1, 100_000).default(2_000)),
    auth,
    ...readAccess(settings, auth, read),
    model: overrides.model ?? read("TACKLE_MODEL", modelId.optional()),
    embeddingModel: read("TACKLE_EMBEDDING_MODEL", modelId.optional()),
    roots,
    trustRoots: overrides.trust ?? read("TACKLE_TRUST_ROOTS", z.enum(["0", "1"]).default("0")) === "1",
    delegateDepth: read("TACKLE_DELEGATE_DEPTH", wholeNumber(0, 3).default(1)),
    fetchAllow: read("TACKLE_FETCH_ALLOW", hostList.default([])),
    pushAllow: read("TACKLE_PUSH_ALLOW", hostList.default([])),
    webhookUrl: read("TACKLE_WEBHOOK_URL", webAddress.optional()),
    webhookSecret: settings.TACKLE_WEBHOOK_SECRET,
    sandboxHosts: read("TACKLE_SANDBOX_HOSTS", sandboxHosts.default([])),
    files: {
      maxBytes: read("TACKLE_FILE_LIMIT_MB", wholeNumber(1, 10_000).default(25)) * MEGABYTE,
      quotaBytes: read("TACKLE_FILE_QUOTA_MB", wholeNumber(1, 1e9).default(500)) * MEGABYTE,
      s3: readS3(settings),
    },
    toolsDir: resolvePath(cwd, settings.TACKLE_TOOLS_DIR ?? join(dataDir, "tools")),
    toolsFromWeb: read("TACKLE_TOOLS_FROM_WEB", z.enum(["0", "1"]).default("1")) === "1",
    policyFile: ownFile("TACKLE_POLICY", "policy.json"),
    mcpFile: ownFile("TACKLE_MCP", "mcp.json"),
    openApiFile: ownFile("TACKLE_OPENAPI", "tools.json"),
    loop: {
      maxIterations:
        forEverybody(read("TACKLE_MAX_ITERATIONS", wholeNumber(1, 1_000).optional())) ??
        limits.iterations ??
        (terminal ? { guest: 50, account: 50 } : { guest: 10, account: 25 }),
      maxToolCalls:
        forEverybody(read("TACKLE_MAX_TOOL_CALLS", wholeNumber(0, 10_000).optional())) ??
        limits.toolCalls ??
        (terminal ? { guest: 100, account: 100 } : { guest: 3, account: 50 }),
      parallelTools: read("TACKLE_PARALLEL_TOOLS", wholeNumber(1, 64).default(4)),
      maxTokens: read("TACKLE_MAX_TOKENS", wholeNumber(1, 1e12).default(20_000_000)),
      maxCostUsd: read("TACKLE_MAX_COST_USD", nonNegativeNumber().default(Number.POSITIVE_INFINITY)),
      costOf: "one request",
      maxOutputCharacters: read("TACKLE_MAX_OUTPUT_CHARACTERS", wholeNumber(1, 1e9).default(1_000_000)),
      maxRunMs: read("TACKLE_MAX_RUN_MS", wholeNumber(1, 1e9).default(30 * 60_000)),
      maxRetries: read("TACKLE_MAX_RETRIES", wholeNumber(0, 10).default(3)),
      maxContinuations: read("TACKLE_CONTINUE", z.enum(["0", "1"]).default("1")) === "1" ? 3 : 0,
      approvalMs: read("TACKLE_APPROVAL_MS", wholeNumber(1, 1e10).default(24 * 60 * 60_000)),
    },
    toolTimeoutMs: read("TACKLE_TOOL_TIMEOUT_MS", wholeNumber(1, 1e9).default(60_000)),
    streamIdleMs: read("TACKLE_STREAM_IDLE_MS", wholeNumber(1, 1e9).default(30_000)),
    readBackoff: read("TACKLE_READ_BACKOFF", z.enum(["0", "1"]).default("1")) === "1",
    requestLimits: limits,
    fixedLimits: Object.keys(JSON.parse(settings.TACKLE_LIMITS || "{}")),
    prices: read("TACKLE_PRICES", jsonOf(prices).prefault("{}")),
    demoContextWindow: read("TACKLE_DEMO_CONTEXT", wholeNumber(1_000, 1e7).default(128_000)),
    demoTokensPerSecond: read("TACKLE_DEMO_TOKENS_PER_SECOND", nonNegativeNumber().default(60)),
    logLevel: read("TACKLE_LOG", z.enum(["debug", "info", "warn", "error", "silent"]).default("warn")),
    tracing: readTraceSettings(settings),
    settings,
    namesInFile: Object.keys(fromFile),
  };
}

/** Checks settings that are read elsewhere. */
function checkOthers(read: ReadSetting): void {
  for (const name of [...VENDOR_ADDRESSES, ...COLLECTOR_ADDRESSES]) read(name, webAddress.optional());
  read("TACKLE_SEARCH_PRICES", jsonOf(searchPrices).optional());
  read("TACKLE_REWRITE", z.enum(["0", "1"]).optional());
  read("OLLAMA_NUM_CTX", wholeNumber(512, 1e8).optional());
}

function readKeptDays(read: ReadSetting): Config["keptDays"] {
  return {
    events: read("TACKLE_EVENTS_DAYS", nonNegativeNumber().default(30)),
    sessions: read("TACKLE_SESSIONS_DAYS", nonNegativeNumber().default(0)),
    files: read("TACKLE_FILES_DAYS", nonNegativeNumber().default(0)),
    audit: read("TACKLE_AUDIT_DAYS", nonNegativeNumber().default(0)),
  };
}

const modelId = z.string().regex(/^[^/\s]+\/\S+$/, "must be provider/model, for example zai/glm-4.6");

const processes = z
  .union([z.literal("auto"), wholeNumber(1, 64)], {
    error: "must be auto or a whole number from 1 to 64",
  })
  .default(1);

const databaseUrl = z
  .string()
  .refine((text) => /^postgres(ql)?:\/\//.test(text), { message: "must be a postgres:// address" });

/** SQLite belongs to one machine, so a journal that instances share would have nothing to share. */
function readJournal(
  settings: Readonly<Record<string, string | undefined>>,
  read: ReadSetting,
): string | undefined {
  const url = read("TACKLE_JOURNAL_URL", journalUrl.optional());
  if (url !== undefined && settings.DATABASE_URL === undefined)
    throw badSetting("TACKLE_JOURNAL_URL", "needs PostgreSQL; set DATABASE_URL too");
  return url;
}

const journalUrl = z.string().regex(/^(nats|tls):\/\/[^\s/?]+(\?[\w=&]*)?$/, {
  error: "must be nats://host:port, with further nodes after commas",
});

const hostList = z
  .string()
  .transform((text) => text.split(",").map((host) => host.trim()))
  .refine((hosts) => hosts.every((host) => /^(\[[\da-fA-F:.]+\]|[^:\s/]+):\d{1,5}$/.test(host)), {
    message: "must be host:port, comma separated",
  });

const sandboxHosts = z
  .string()
  .transform((text) => text.split(",").map((host) => host.trim()))
  .refine((hosts) => hosts.every((host) => parseHostRule(host) !== undefined), {
    message: "must be hosts such as registry.example, *.example.org or localhost:4873, comma separated",
  });

/** Requires all settings of a bucket or none, so that a missing one does not put files on disk. */
function readS3(settings: Readonly<Record<string, string | undefined>>): S3Settings | undefined {
  const names = ["S3_ENDPOINT", "S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const;
  const missing = names.filter((name) => settings[name] === undefined);
  if (missing.length === names.length && settings.S3_REGION === undefined) return undefined;
  const [first] = missing;
  if (first) throw badSetting(first, "is missing, while other settings of the object storage are there");
  const [endpoint = "", bucket = "", accessKeyId = "", secretAccessKey = ""] = names.map(
    (name) => settings[name],
  );
  if (!(/^https?:\/\//.test(endpoint) && URL.canParse(endpoint)))
    throw badSetting("S3_ENDPOINT", "must be the http(s) address of an object storage, without the bucket");
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw badSetting("S3_BUCKET", "is not a bucket's name");
  return { endpoint, bucket, region: settings.S3_REGION ?? "us-east-1", accessKeyId, secretAccessKey };
}

function wholeNumber(minimum: number, maximum: number) {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^-?\d+$/, message)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, { message });
}

function forEverybody(limit: number | undefined): Allowance | undefined {
  return limit === undefined ? undefined : { guest: limit, account: limit };
}

function nonNegativeNumber() {
  const message = "must be a number, 0 or more";
  return z
    .string()
    .regex(/^\d+(\.\d+)?$/, message)
    .transform(Number);
}

function jsonOf<Schema extends z.ZodType>(schema: Schema) {
  return z.string().transform((text, context): z.output<Schema> => {
    try {
      const parsed = schema.safeParse(JSON.parse(text));
      if (parsed.success) return parsed.data;
      context.addIssue(problemOf(parsed.error));
    } catch {
      context.addIssue("must be JSON"); // The value may contain secrets, so it is not repeated.
    }
    return z.NEVER;
  });
}

function readSetting<Output>(name: string, value: string | undefined, schema: z.ZodType<Output>): Output {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw badSetting(name, problemOf(parsed.error));
}

function rootsOf(text: string | undefined, terminal: boolean, cwd: string): string[] {
  if (text === undefined) return terminal ? [cwd] : [];
  return text
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => resolvePath(cwd, folder));
}

/** An empty variable counts as unset, as is usual in shells. */
function withoutEmpty(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
}
