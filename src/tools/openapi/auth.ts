import { isObject } from "../../protocol/json.ts";
import { type ApiDocument, follow } from "./document.ts";
import type { Operation } from "./operations.ts";
import type { ApiEntry } from "./settings.ts";

/** How an API's key is sent with a request. */
export interface Credentials {
  headers: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  /** Texts that must never be shown. */
  secrets: readonly string[];
}

export const NO_CREDENTIALS: Credentials = { headers: {}, query: {}, secrets: [] };

/** Builds credentials from the operator's variable, in the form that the operator or the document sets. */
export function credentialsOf(
  { auth }: ApiEntry,
  document: ApiDocument,
  operations: readonly Operation[],
  env: Readonly<Record<string, string | undefined>>,
): Credentials {
  if (!auth) return NO_CREDENTIALS;
  const key = Object.hasOwn(env, auth.env) ? env[auth.env] : undefined;
  if (!key) throw new Error(`the variable ${auth.env} is not set`);
  if (/[^\x20-\x7e]/.test(key)) throw new Error(`the variable ${auth.env} holds characters that no key has`);
  const said = schemeOf(document, operations);
  const type = auth.type ?? said.type;
  const secrets = [key];
  if (type === "query")
    return { headers: {}, query: { [auth.name ?? said.name ?? "api_key"]: key }, secrets };
  if (type === "header")
    return { headers: { [auth.name ?? said.name ?? "X-API-Key"]: key }, query: {}, secrets };
  if (type === "bearer") return { headers: { authorization: `Bearer ${key}` }, query: {}, secrets };
  // Without a colon it is the name, as Stripe and others have it.
  const encoded = Buffer.from(key.includes(":") ? key : `${key}:`).toString("base64");
  const password = key.slice(key.indexOf(":") + 1);
  return { headers: { authorization: `Basic ${encoded}` }, query: {}, secrets: [key, encoded, password] };
}

type Scheme = { type: "bearer" | "header" | "query" | "basic"; name?: string };

/** The first security scheme that needs only one key. */
function schemeOf(document: ApiDocument, operations: readonly Operation[]): Scheme {
  const { components } = document.root;
  const schemes =
    isObject(components) && isObject(components.securitySchemes) ? components.securitySchemes : {};
  const wanted = [...new Set(operations.flatMap(({ security }) => security)), ...Object.keys(schemes)];
  for (const name of wanted) {
    const scheme = follow(document, Object.hasOwn(schemes, name) ? schemes[name] : undefined);
    if (!isObject(scheme)) continue;
    if (
      scheme.type === "apiKey" &&
      typeof scheme.name === "string" &&
      (scheme.in === "header" || scheme.in === "query")
    )
      return { type: scheme.in, name: scheme.name };
    if (scheme.type === "http" && String(scheme.scheme).toLowerCase() === "basic") return { type: "basic" };
    if (scheme.type === "http" || scheme.type === "oauth2" || scheme.type === "openIdConnect")
      return { type: "bearer" };
  }
  return { type: "bearer" };
}
