import { isIP } from "node:net";
import { Failure } from "../protocol/failure.ts";

const LOOPBACK_NAMES = new Set(["localhost", "127.0.0.1", "[::1]"]);
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
  const host = request.headers.get("host") ?? "";
  const known = publicUrl === undefined ? corsOrigins : [...corsOrigins, publicUrl];
  // A configured origin is trusted, so a reverse proxy may use its name.
  const isConfigured = known.some((origin) => hostOf(origin) === host.toLowerCase());
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
  if (foreign) {
    throw new Failure("FORBIDDEN", "Pages of this origin may not change anything on this server.");
  }
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
      "X-Request-Id, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Tackle-Guest, X-Tackle-Overhead-Ms, X-Tackle-Warnings, Mcp-Session-Id",
  };
}

/** Additional headers of a preflight response. */
export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers": [
    "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Mcp-Protocol-Version, Mcp-Session-Id, X-Request-Id, X-Tackle-Pace, X-Tackle-Tools",
    // Sent by Anthropic's and OpenAI's clients in a browser.
    "Anthropic-Beta, Anthropic-Dangerous-Direct-Browser-Access, Anthropic-Version, X-Api-Key, X-Stainless-Helper",
    "OpenAI-Beta, OpenAI-Organization, OpenAI-Project, X-Stainless-Arch, X-Stainless-Helper-Method, X-Stainless-Lang",
    "X-Stainless-OS, X-Stainless-Package-Version, X-Stainless-Retry-Count, X-Stainless-Runtime",
    "X-Stainless-Runtime-Version, X-Stainless-Timeout",
  ].join(", "),
  "access-control-max-age": "600",
};

function nameIn(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, "");
}

function isLocalName(host: string): boolean {
  return LOOPBACK_NAMES.has(nameIn(host));
}

/** Nobody can register an IP address or a name without a dot, so no foreign page can use it. */
function isUnforgeable(host: string): boolean {
  const name = nameIn(host);
  return !name.includes(".") || isIP(name) === 4 || name.startsWith("[");
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host || undefined : undefined;
}
