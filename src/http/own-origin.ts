import { Failure } from "../protocol/failure.ts";
import type { HttpContext } from "./context.ts";

const HOST = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** The origin of this server in the browser, for a content security policy. */
export function ownOrigin(c: HttpContext): string {
  const server = c.get("server");
  const host = c.req.header("host") ?? new URL(c.req.url).host;
  if (!HOST.test(host)) throw new Failure("INVALID_INPUT", "The Host header is not valid.");
  const encrypted = server.deps.config.trustProxy === true && c.req.header("x-forwarded-proto") === "https";
  return `${encrypted ? "https" : "http"}://${host}`;
}
