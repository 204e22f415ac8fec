import { distance } from "../terminal/distance.ts";

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

/** All settings whose names begin with `TACKLE_`. */
export const SETTING_NAMES: readonly string[] = NAMES.trim()
  .split(/\s+/)
  .map((name) => PREFIX + name);

/** Returns a sentence for each setting that has our prefix and no meaning: a slip would otherwise go unnoticed. */
export function unknownSettings(settings: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set([...SETTING_NAMES, ...INTERNAL]);
  const unknown = Object.keys(settings).filter((name) => name.startsWith(PREFIX) && !known.has(name));
  return unknown.map((name) => {
    const meant = nearest(name);
    return `There is no setting ${name}.${meant === undefined ? "" : ` Do you mean ${meant}?`}`;
  });
}

function nearest(name: string): string | undefined {
  const [best] = SETTING_NAMES.map((known) => ({ known, slips: distance(name, known) })).toSorted(
    (one, other) => one.slips - other.slips,
  );
  return best && best.slips <= 3 ? best.known : undefined;
}
