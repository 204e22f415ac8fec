import { Failure } from "../protocol/failure.ts";
import type { HttpContext } from "./context.ts";

const HOST = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** The origin of this server in the browser, for a content security policy. */
export function ownOrigin(c: HttpContext): string {
  const host = c.req.header("host") ?? new URL(c.req.url).host;
  if (!HOST.test(host)) throw new Failure("INVALID_INPUT", "The Host header is not valid.");
  return `${isEncrypted(c) ? "https" : "http"}://${host}`;
}

/** The origin that people use: the public address if there is one, otherwise that of this request. */
export function publicOrigin(c: HttpContext): string {
  return c.get("server").deps.config.publicUrl ?? ownOrigin(c);
}

/** True if the browser sent the request over TLS: a trusted proxy says so, or it came to the public address. */
export function isEncrypted(c: HttpContext): boolean {
  const { trustProxy, publicUrl } = c.get("server").deps.config;
  if (trustProxy === true && c.req.header("x-forwarded-proto") === "https") return true;
  return (
    publicUrl?.startsWith("https://") === true &&
    new URL(publicUrl).host === c.req.header("host")?.toLowerCase()
  );
}
