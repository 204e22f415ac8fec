import { isObject } from "../../protocol/json.ts";
import type { ApiDocument } from "./document.ts";
import type { ApiEntry } from "./settings.ts";

export interface BaseUrl {
  /** Without a slash at the end. */
  href: string;
  /** `host:port` where the operator chose the host: it may then be private. */
  allow: string[];
}

/**
 * Where the API is. The operator's word stands first, then the document's. A document from elsewhere may not send our key
 * to a host that nobody here has named. Throws an error that says what is missing.
 */
export function baseUrlOf({ baseUrl, auth }: ApiEntry, { root, url }: ApiDocument): BaseUrl {
  const said = baseUrl ?? serverOf(root);
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
  return { href: base.href.replace(/\/+$/, ""), allow: chosen ? [hostOf(base)] : [] };
}

/** `host:port`, the port always there. */
export function hostOf({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
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
