import { isIP } from "node:net";
import { getPath, tryDecodeURIComponent } from "hono/utils/url";
import { Failure } from "../protocol/failure.ts";

// Whom a request is addressed to: the host and the path under which a client looks for us, and the pages that may ask at all.

const LOOPBACK_NAMES = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** Containers reach the machine that they run on by these names. The operator of the network's name server can forge others below `.internal`. */
const CONTAINER_HOSTS = new Set(["host.docker.internal", "host.containers.internal"]);
/** Names that are reserved for private networks. Services in Kubernetes have names such as `tackle.default.svc.cluster.local`. */
const PRIVATE_NAME = /\.(?:localhost|internal|local|home\.arpa)$/;
const READING = new Set(["GET", "HEAD", "OPTIONS"]);

/** True if only this machine can reach the host. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

export interface OriginRules {
  boundHost: string;
  corsOrigins: readonly string[];
  /** The origin that people use, if it is configured. */
  publicUrl?: string | undefined;
}

/**
 * Refuses requests from pages of other sites: requests under a foreign host name (DNS rebinding), and changes with an Origin
 * that is neither ours nor configured.
 */
export function checkOrigin(request: Request, { boundHost, corsOrigins, publicUrl }: OriginRules): void {
  const host = request.headers.get("host") ?? new URL(request.url).host;
  const known = publicUrl === undefined ? corsOrigins : [...corsOrigins, publicUrl];
  // A configured origin is trusted, so a reverse proxy may use its name.
  const isConfigured = known.some((origin) => isWeb(origin) && hostOf(origin) === host.toLowerCase());
  if (!isConfigured && !(isLoopback(boundHost) ? isLocalName(host) : isUnforgeable(host))) {
    throw new Failure(
      "FORBIDDEN",
      isLoopback(boundHost)
        ? "This server answers only under localhost or 127.0.0.1. For another name, set TACKLE_PUBLIC_URL."
        : "This server does not know this name. Its operator can set TACKLE_PUBLIC_URL.",
    );
  }
  if (READING.has(request.method)) return;
  const origin = request.headers.get("origin");
  const foreign =
    origin === null
      ? request.headers.get("sec-fetch-site") === "cross-site"
      : hostOf(origin) !== host.toLowerCase() && !known.includes(origin);
  if (foreign) throw new Failure("FORBIDDEN", refusal(origin));
}

/** Apps and browser extensions are pages too. Any page can have the origin `null`, so it cannot be allowed. */
function refusal(origin: string | null): string {
  if (origin === null || origin === "null")
    return "Pages of this origin may not change anything on this server.";
  return `Pages of ${origin.slice(0, 200)} may not change anything on this server. Its operator can allow them in TACKLE_CORS_ORIGINS.`;
}

/** Headers that let pages of configured origins read the response. */
export function corsHeaders(request: Request, corsOrigins: readonly string[]): Record<string, string> {
  if (corsOrigins.length === 0) return {};
  const origin = request.headers.get("origin");
  if (origin === null || !corsOrigins.includes(origin)) return { vary: "Origin" };
  return {
    vary: "Origin",
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-expose-headers":
      "X-Request-Id, Request-Id, Retry-After, X-Should-Retry, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Tackle-Guest, X-Tackle-Overhead-Ms, X-Tackle-Warnings, Mcp-Session-Id, WWW-Authenticate",
  };
}

/** Additional headers of a preflight response. Pages of configured origins may send what their clients add: each SDK has its own. */
export function preflightHeaders(request: Request): Record<string, string> {
  const asked = request.headers.get("access-control-request-headers");
  return {
    "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers": asked ?? "Authorization, Content-Type, Idempotency-Key, Last-Event-ID",
    "access-control-max-age": "600",
  };
}

function nameIn(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, "");
}

/** True for names that lead to this machine. Browsers resolve everything below `.localhost` themselves. */
function isLocalName(host: string): boolean {
  const name = nameIn(host);
  return LOOPBACK_NAMES.has(name) || CONTAINER_HOSTS.has(name) || name.endsWith(".localhost");
}

/** Nobody can register an IP address, a name without a dot or one of a private network, so no foreign page can use it. */
function isUnforgeable(host: string): boolean {
  const name = nameIn(host);
  return !name.includes(".") || isIP(name) === 4 || name.startsWith("[") || PRIVATE_NAME.test(name);
}

/** False for origins of apps and extensions. Their host part is not a DNS name. */
function isWeb(origin: string): boolean {
  return /^https?:/.test(origin);
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host || undefined : undefined;
}

// Routes of other vendors' protocols, which clients look for elsewhere if their base URL is wrong.
const V1 =
  /\/((?:chat\/)?completions|responses|embeddings|images\/generations|messages(?:\/count_tokens)?|models)$/;
const OLLAMA = /\/api\/(?:chat|generate|embed|tags|show|version)$/;

/** Clients of Azure, Groq and DeepInfra add this to every base URL. Azure's name the model in it. */
const AZURE =
  /^(?:\/v1(?:beta)?)?\/openai\/(?:v1\/|deployments\/(.+?)\/(?=(?:chat|completions|embeddings|responses|images|audio)(?:\/|$)))?/;

/**
 * Returns the path by which routes are found. A base URL that ends in a slash makes clients ask for `/v1//models`, and those of
 * Azure ask for `/openai/deployments/gpt-4o/chat/completions`.
 */
export function requestPath(request: Request): string {
  const path = cleanPath(request);
  return path.includes("/openai/") ? path.replace(AZURE, "/v1/") : path;
}

/** Returns the model that the path of a request names, as Azure's clients do. */
export function modelInPath(request: Request): string | undefined {
  const [, name] = AZURE.exec(cleanPath(request)) ?? [];
  return name === undefined ? undefined : tryDecodeURIComponent(name);
}

function cleanPath(request: Request): string {
  const path = getPath(request);
  return path.includes("//") || path.endsWith("/") ? withoutSpareSlashes(path) : path;
}

function withoutSpareSlashes(path: string): string {
  const single = path.replace(/\/{2,}/g, "/");
  return single.length > 1 && single.endsWith("/") ? single.slice(0, -1) : single;
}

/** True for the paths of OpenAI's and Anthropic's protocols. */
export function isVersionOne(path: string): boolean {
  return path === "/v1" || path.startsWith("/v1/");
}

/** Returns the route that a client with a wrong base URL means by a path without a route, or undefined. */
export function meantPath(path: string): string | undefined {
  const [ollama] = OLLAMA.exec(path) ?? [];
  const [, v1] = V1.exec(path) ?? [];
  return ollama ?? (v1 && `/v1/${v1}`);
}
