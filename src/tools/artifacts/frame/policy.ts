import { createHash } from "node:crypto";
import { PRELUDE } from "./prelude.ts";

export interface PolicyOptions {
  /** The server's own address, such as `http://127.0.0.1:8787`. */
  origin: string;
  /**
   * The inline scripts that may run, allowed by hash. The artifact could read a nonce and load scripts from anywhere with
   * it.
   */
  scripts?: readonly string[];
  /** The page imports vendored modules. */
  modules?: boolean;
  /** The artifact uses `eval`, which gives it no more rights inside the frame. */
  evaluates?: boolean;
  /** The page runs modules that arrive by message. */
  fromMemory?: boolean;
  /** Origins that the page of an app may send requests to, and load scripts, styles, images, fonts and media from. */
  connects?: readonly string[];
  loads?: readonly string[];
  /** The page has no code from a model, and mermaid sanitizes its output with its own policy. */
  purifies?: boolean;
}

/** The content security policy of an artifact's page: it may only run its own scripts and the vendored modules. */
export function framePolicy({ origin, scripts = [], ...may }: PolicyOptions): string {
  const sources = [PRELUDE, ...scripts].map((script) => `'${sha256(script)}'`);
  // Only the folder of the modules: 'self' would let it load any of our files as a script.
  if (may.modules) sources.push(`${origin}/vendor/`);
  if (may.evaluates) sources.push("'unsafe-eval'");
  if (may.fromMemory) sources.push("blob:");
  const loads = may.loads ?? [];
  sources.push(...loads);
  const from = (...own: string[]) => [...own, ...loads].join(" ");
  return [
    "sandbox allow-scripts",
    "default-src 'none'",
    `script-src ${[...new Set(sources)].join(" ")}`,
    "worker-src 'none'",
    `style-src ${from("'unsafe-inline'")}`,
    `img-src ${from("data:", "blob:")}`,
    `font-src ${from("data:")}`,
    `media-src ${from("data:", "blob:")}`,
    `connect-src ${may.connects?.length ? may.connects.join(" ") : "'none'"}`,
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types default${may.purifies ? " dompurify" : ""}`,
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

/** A text as policies name it. */
export function sha256(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
