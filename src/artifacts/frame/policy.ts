import { PRELUDE_HASH } from "./prelude.ts";

export interface PolicyOptions {
  /** The server's own address, such as `http://127.0.0.1:8787`. */
  origin: string;
  /** Allows the artifact's own scripts; without it nothing but the prelude runs. */
  nonce?: string;
  /** The artifact calls `eval` itself: inside of the frame that is nothing more than it may do anyway. */
  evaluates?: boolean;
}

/** What the page of an artifact may do: run its scripts and the vendored modules, in an origin of its own, and nothing else. */
export function framePolicy({ origin, nonce, evaluates }: PolicyOptions): string {
  const scripts = [PRELUDE_HASH];
  // The folder of the modules and not 'self': that would let it load anything of ours as a script.
  if (nonce !== undefined) scripts.push(`'nonce-${nonce}'`, `${origin}/vendor/`);
  if (evaluates) scripts.push("'unsafe-eval'");
  return [
    "sandbox allow-scripts",
    "default-src 'none'",
    `script-src ${scripts.join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "font-src data:",
    "media-src data: blob:",
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
}

/** The headers of such a page. */
export function frameHeaders(options: PolicyOptions): Record<string, string> {
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": framePolicy(options),
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "no-referrer",
    "x-dns-prefetch-control": "off",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), clipboard-read=()",
    "cache-control": "no-store",
  };
}
