import { Failure } from "../../protocol/failure.ts";
import { isObject } from "../../protocol/json.ts";
import type { Credentials } from "./auth.ts";
import type { Body, Operation, Parameter } from "./operations.ts";

export interface ApiRequest {
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** Builds the HTTP request for a call. Throws TOOL_INVALID_ARGUMENTS for a value that cannot be used. */
export function buildRequest(
  base: string,
  operation: Operation,
  args: Readonly<Record<string, unknown>>,
  credentials: Credentials,
): ApiRequest {
  const given = (one: Parameter) => (Object.hasOwn(args, one.key) ? args[one.key] : undefined);
  const query: string[] = [];
  const headers: Record<string, string> = { accept: "application/json, text/*;q=0.8" };
  let path = operation.path;
  for (const parameter of operation.parameters) {
    const value = given(parameter);
    if (value === undefined || value === null) continue;
    if (parameter.in === "path")
      path = path.replaceAll(`{${parameter.name}}`, () => pathText(parameter, value));
    else if (parameter.in === "query") query.push(...queryPairs(parameter, value));
    else headers[parameter.name.toLowerCase()] = headerText(parameter, value);
  }
  if (path.split("/").some((segment) => segment === "." || segment === ".."))
    throw wrong("the values lead out of their place in the address");
  for (const [name, value] of Object.entries(credentials.query)) query.push(pair(name, value));
  const target = new URL(`${base}${path}${query.length > 0 ? `?${query.join("&")}` : ""}`);
  const root = new URL(base);
  // No value may lead outside the API's address.
  const below =
    target.pathname === root.pathname || target.pathname.startsWith(`${root.pathname.replace(/\/$/, "")}/`);
  if (target.origin !== root.origin || !below) throw wrong("the values lead out of the API's own address");
  const body =
    operation.body && Object.hasOwn(args, operation.body.key) ? args[operation.body.key] : undefined;
  if (operation.body && body !== undefined) headers["content-type"] = operation.body.contentType;
  return {
    url: target.href,
    headers: { ...headers, ...credentials.headers },
    ...(operation.body && body !== undefined ? { body: bodyText(operation.body, body) } : {}),
  };
}

/** JSON, or the fields of a form. */
function bodyText({ fields, key }: Body, value: unknown): string {
  if (!fields) return JSON.stringify(value);
  if (!isObject(value)) throw wrong(`${key} must be an object, whose fields are sent as a form`);
  return Object.entries(value)
    .flatMap(([name, one]) => {
      if (one === undefined || one === null) return [];
      const said = Object.hasOwn(fields, name) ? fields[name] : undefined;
      return queryPairs({ name, key: name, ...(said ?? { style: "form", explode: true }) }, one);
    })
    .join("&");
}

/** One path segment, or a comma-separated list. Never `.` or `..`. */
function pathText(parameter: Parameter, value: unknown): string {
  const text = (Array.isArray(value) ? value : [value])
    .map((one) => encodeURIComponent(plain(parameter, one)))
    .join(",");
  if (text === "" || text === "." || text === "..") throw wrong(`${parameter.key} cannot be "${text}"`);
  return text;
}

type Field = Pick<Parameter, "name" | "key" | "style" | "explode">;

function queryPairs(field: Field, value: unknown): string[] {
  const { name, style, explode } = field;
  if (style === "deepObject") return deepPairs(field, name, value);
  if (Array.isArray(value)) {
    const texts = value.map((one) => plain(field, one));
    if (explode) return texts.map((text) => pair(name, text));
    const separator = style === "spaceDelimited" ? "%20" : style === "pipeDelimited" ? "%7C" : ",";
    return [`${encodeURIComponent(name)}=${texts.map(encodeURIComponent).join(separator)}`];
  }
  if (!isObject(value)) return [pair(name, plain(field, value))];
  const entries = Object.entries(value).map(([key, one]): [string, string] => [key, plain(field, one)]);
  if (explode) return entries.map(([key, text]) => pair(key, text));
  return [`${encodeURIComponent(name)}=${entries.flat().map(encodeURIComponent).join(",")}`];
}

/** `name[key]=value`, and `name[0]=value` for lists, as deep as the value is. */
function deepPairs(field: Field, name: string, value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [pair(name, plain(field, value))];
  return Object.entries(value).flatMap(([key, one]) => deepPairs(field, `${name}[${key}]`, one));
}

function headerText(parameter: Parameter, value: unknown): string {
  const text = (Array.isArray(value) ? value : [value]).map((one) => plain(parameter, one)).join(",");
  if (/[^\x20-\x7e]/.test(text)) throw wrong(`${parameter.key} holds characters that a header cannot`);
  return text;
}

function pair(name: string, text: string): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
}

function plain(parameter: Pick<Parameter, "key">, value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  if (!text.isWellFormed()) throw wrong(`${parameter.key} is not valid text`);
  return text;
}

function wrong(why: string): Failure {
  return new Failure("TOOL_INVALID_ARGUMENTS", `The call cannot be made: ${why}.`);
}
