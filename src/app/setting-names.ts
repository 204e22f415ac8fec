import { editDistance } from "../protocol/edit-distance.ts";

const PREFIX = "TACKLE_";
/** The names of all settings of ours, without the prefix. */
const NAMES = `
APPROVAL_MS ARTIFACT_MODEL AUDIT_DAYS AUTH COMPACT_MODEL CONTINUE CORS_ORIGINS DATA DATABASE_POOL DELEGATE_DEPTH
DEMO_CONTEXT DEMO_TOKENS_PER_SECOND EMBEDDING_MODEL EVENTS_DAYS FETCH_ALLOW FILES_DAYS FILE_LIMIT_MB FILE_QUOTA_MB
GRACE_MS GUEST_TOOLS IMAGE_MODEL JOURNAL_URL JWKS_URL JWT_ADMIN_CLAIM JWT_AUDIENCE JWT_ISSUER JWT_SECRET LEASE_MS
LIMITS LOG MAIL_FROM MAX_COST_USD MAX_ITERATIONS MAX_OUTPUT_CHARACTERS MAX_RETRIES MAX_RUN_MS MAX_STREAMS MAX_TOKENS
MAX_TOOL_CALLS MCP METRICS_TOKEN MODEL OIDC_CLIENT_ID OIDC_CLIENT_SECRET OIDC_ISSUER OIDC_NAME OIDC_TRUST_EMAIL
OPENAPI PARALLEL_TOOLS POLICY PRICES PROCESSES PUBLIC_URL PUSH_ALLOW READ_BACKOFF REHEARSE REWRITE REWRITE_MODEL ROOTS
ROOTS_SHARED SANDBOX_HOSTS SEARCH_PRICES SECRET SESSIONS_DAYS SIGN_UP SMTP_URL STREAM_IDLE_MS TITLE_MODEL TOKEN
TOOLS_DIR TOOLS_FROM_WEB TOOL_TIMEOUT_MS TRUST_PROXY TRUST_ROOTS UNSAFE_COMMANDS WEBHOOK_SECRET WEBHOOK_URL
`;
/** Scripts of a clone set it for themselves. */
const INTERNAL = ["TACKLE_BUNDLE"];
/** Names that other programs use too. Each vendor has an address beside its key. */
const SHARED =
  "HOST PORT DATABASE_URL OLLAMA_BASE_URL OLLAMA_NUM_CTX OPENAI_STORE SEARXNG_BASE_URL DUCKDUCKGO_BASE_URL";
const OF_STORAGE = "S3_ENDPOINT S3_BUCKET S3_REGION S3_ACCESS_KEY_ID S3_SECRET_ACCESS_KEY";
const OF_TRACES = "OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS OTEL_SERVICE_NAME";
const VENDORS =
  "OPENAI ANTHROPIC GEMINI ZAI OPENROUTER GROQ DEEPSEEK MISTRAL XAI OPENAI_COMPATIBLE TAVILY EXA".split(" ");

/** All settings whose names begin with `TACKLE_`. */
export const SETTING_NAMES: readonly string[] = NAMES.trim()
  .split(/\s+/)
  .map((name) => PREFIX + name);

/** All other settings that the page about settings names. */
export const SHARED_NAMES: readonly string[] = [
  ...[SHARED, OF_STORAGE, OF_TRACES].flatMap((names) => names.split(" ")),
  ...VENDORS.flatMap((vendor) => [`${vendor}_API_KEY`, `${vendor}_BASE_URL`]),
];

/** The addresses of vendors and search services. */
export const VENDOR_ADDRESSES = SHARED_NAMES.filter((name) => name.endsWith("_BASE_URL"));

/** What other programs call vendors in the names of their keys. */
const OTHER_NAMES: Record<string, string> = {
  GOOGLE: "GEMINI",
  GOOGLEGENERATIVEAI: "GEMINI",
  CLAUDE: "ANTHROPIC",
  GLM: "ZAI",
  ZHIPU: "ZAI",
  ZHIPUAI: "ZAI",
  BIGMODEL: "ZAI",
  GROK: "XAI",
};

interface Named {
  settings: Readonly<Record<string, string | undefined>>;
  /** The names in the file of settings. */
  namesInFile: readonly string[];
}

/** Returns a sentence for each setting that is a slip, which would otherwise go unnoticed. */
export function unknownSettings({ settings, namesInFile }: Named): string[] {
  const known = new Set([...SETTING_NAMES, ...INTERNAL]);
  const ours = Object.keys(settings).filter((name) => name.startsWith(PREFIX) && !known.has(name));
  const inFile = namesInFile.filter((name) => !ours.includes(name) && isSlip(name));
  return [
    ...ours.map((name) => `There is no setting ${name}.${question(withoutPrefix(name) ?? nearest(name))}`),
    ...Object.keys(settings).flatMap((name) => {
      const key = inFile.includes(name) ? undefined : keyMeantBy(name);
      // If the vendor is set up, the other name may be for another program.
      if (key === undefined || settings[key] !== undefined) return [];
      return [`${name} is not a setting of Tackle.${question(key)}`];
    }),
    ...inFile.map((name) => `There is no setting ${name} (in tackle.config.json).${question(meantBy(name))}`),
  ];
}

/** `TACKLE_PORT` means PORT. */
function withoutPrefix(name: string): string | undefined {
  return SHARED_NAMES.find((known) => name === PREFIX + known);
}

/** `OPENAI_KEY` and `OPEN_AI_API_KEY` mean OPENAI_API_KEY. */
function keyMeantBy(name: string): string | undefined {
  const [, owner = ""] = /^(\w+?)_?(?:API_?)?(?:KEY|TOKEN)$/.exec(name) ?? [];
  const vendor = OTHER_NAMES[plainName(owner)] ?? VENDORS.find((one) => plainName(one) === plainName(owner));
  const key = `${vendor}_API_KEY`;
  return vendor === undefined || key === name ? undefined : key;
}

/** The file may also have what MCP servers and APIs are given, such as GITHUB_TOKEN. Those are names of variables. */
function isSlip(name: string): boolean {
  if ([...SETTING_NAMES, ...SHARED_NAMES].includes(name) || /^[$_/]/.test(name)) return false;
  return !/^[A-Z][A-Z0-9_]*$/.test(name) || meantBy(name) !== undefined;
}

/** `model`, `MODEL` and `tackleModel` mean TACKLE_MODEL. */
function meantBy(name: string): string | undefined {
  const plain = plainName(name);
  const all = [...SHARED_NAMES, ...SETTING_NAMES];
  const same = all.find((known) => [plainName(known), plainName(known.replace(PREFIX, ""))].includes(plain));
  return same ?? nearest(name.toUpperCase(), all, 2);
}

function plainName(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, "");
}

function question(meant: string | undefined): string {
  return meant === undefined ? "" : ` Do you mean ${meant}?`;
}

function nearest(name: string, all = SETTING_NAMES, most = 3): string | undefined {
  const [best] = all
    .map((known) => ({ known, slips: editDistance(name, known) }))
    .toSorted((one, other) => one.slips - other.slips);
  return best && best.slips <= most ? best.known : undefined;
}
