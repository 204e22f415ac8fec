import { hostAndPort } from "../../contain/fetch-url.ts";
import { isObject } from "../../protocol/json.ts";
import type { ApiDocument } from "./document.ts";
import type { ApiEntry } from "./settings.ts";

export interface BaseUrl {
  /** Without a slash at the end. */
  href: string;
  /** `host:port` if the operator chose the host, which may then be private. */
  allow: string[];
}

/**
 * Returns the address of the API: the operator's `baseUrl`, else the document's server. A document that was fetched may not
 * send the key to a host that the operator did not name. Throws an error that says what is missing.
 */
export function baseUrlOf({ baseUrl, auth }: ApiEntry, { root, url }: ApiDocument): BaseUrl {
  // A document without servers describes the one that it comes from.
  const said = baseUrl ?? serverOf(root) ?? (url && "/");
  const base = said === undefined ? undefined : URL.parse(said, url);
  if (!base || !/^https?:$/.test(base.protocol))
    throw new Error("the document names no server: give a baseUrl");
  if (base.username !== "" || base.password !== "")
    throw new Error("the baseUrl holds a password: use auth instead");
  base.search = "";
  base.hash = "";
  const chosen = baseUrl !== undefined || url === undefined || new URL(url).host === base.host;
  if (!chosen && auth)
    throw new Error(`the document sends calls, and so the key, to ${base.host}: confirm that with baseUrl`);
  return { href: base.href.replace(/\/+$/, ""), allow: chosen ? [hostAndPort(base)] : [] };
}

function serverOf(root: Record<string, unknown>): string | undefined {
  const [server] = Array.isArray(root.servers) ? root.servers : [];
  if (!isObject(server) || typeof server.url !== "string") return undefined;
  const variables = isObject(server.variables) ? server.variables : {};
  return server.url.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isObject(variable) && typeof variable.default === "string" ? variable.default : whole;
  });
}
