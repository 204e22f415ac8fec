import { cleanText } from "../../protocol/clean-text.ts";
import { isObject, type JsonSchema } from "../../protocol/json.ts";
import { type ApiDocument, follow } from "./document.ts";
import { schemaReader } from "./schema.ts";

const METHODS = ["get", "head", "post", "put", "patch", "delete"] as const;
const MAX_OPERATIONS = 1_000;
const MAX_DESCRIPTION = 2_000;
const FORM = /^application\/x-www-form-urlencoded\b/i;
/** Headers that documents may not define. */
const OWN_HEADERS: ReadonlySet<string> = new Set(
  (
    "accept authorization connection content-length content-type cookie expect host keep-alive " +
    "proxy-authorization te trailer transfer-encoding upgrade"
  ).split(" "),
);

export type Method = Uppercase<(typeof METHODS)[number]>;

export interface Parameter {
  /** The name in the API. */
  name: string;
  /** The name in the tool's arguments. */
  key: string;
  in: "path" | "query" | "header";
  style: string;
  explode: boolean;
  required: boolean;
  schema: JsonSchema;
}

export interface Body {
  key: string;
  required: boolean;
  schema: JsonSchema;
  contentType: string;
  /** How the fields of a form are written, where the document says so. */
  fields?: Record<string, { style: string; explode: boolean }>;
}

export interface Operation {
  /** The id in the form that tool names allow. */
  id: string;
  /** The id in the document. */
  givenId: string;
  method: Method;
  /** With its `{parameters}`. */
  path: string;
  description: string;
  parameters: Parameter[];
  body?: Body;
  /** Names of the accepted security schemes. */
  security: string[];
}

/** Reads the operations of a document. Those that cannot be offered are reported and left out. */
export function readOperations(document: ApiDocument, onProblem: (line: string) => void): Operation[] {
  const operations: Operation[] = [];
  const paths = isObject(document.root.paths) ? document.root.paths : {};
  for (const [path, given] of Object.entries(paths)) {
    const item = follow(document, given);
    if (!isObject(item) || !path.startsWith("/")) continue;
    for (const method of METHODS) {
      const operation = follow(document, item[method]);
      if (!isObject(operation)) continue;
      if (operations.length >= MAX_OPERATIONS) {
        onProblem(`it has more than ${MAX_OPERATIONS} operations, of which the first are taken`);
        return operations;
      }
      try {
        operations.push(readOperation(document, { path, method, item, operation }));
      } catch (error) {
        onProblem(
          `${method.toUpperCase()} ${cleanText(path, 100)} is not offered: ${error instanceof Error ? error.message : ""}`,
        );
      }
    }
  }
  return operations;
}

interface Place {
  path: string;
  method: (typeof METHODS)[number];
  item: Record<string, unknown>;
  operation: Record<string, unknown>;
}

function readOperation(document: ApiDocument, { path, method, item, operation }: Place): Operation {
  const id = typeof operation.operationId === "string" ? operation.operationId : `${method}${path}`;
  const parameters = readParameters(document, [item.parameters, operation.parameters]);
  const missing = [...path.matchAll(/\{([^{}]+)\}/g)].find(
    ([, name]) => !parameters.some((one) => one.in === "path" && one.name === name),
  );
  if (missing) throw new Error(`its path needs "${missing[1]}", which is not described`);
  const body = readBody(document, operation.requestBody, parameters);
  const words = [operation.summary, operation.description].filter(
    (text) => typeof text === "string" && text !== "",
  );
  return {
    id: id.replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^_+|_+$/g, ""),
    givenId: id,
    method: method.toUpperCase() as Method,
    path,
    description: cleanText(words.join("\n\n") || `${method.toUpperCase()} ${path}`, MAX_DESCRIPTION),
    parameters,
    body,
    security: securityOf(operation.security ?? document.root.security),
  };
}

/** Reads parameters. Those of the operation replace those of its path. */
function readParameters(document: ApiDocument, lists: unknown[]): Parameter[] {
  const read = schemaReader(document);
  const byPlace = new Map<string, Parameter>();
  for (const given of lists.flatMap((list) => (Array.isArray(list) ? list : []))) {
    const one = follow(document, given);
    if (!isObject(one) || typeof one.name !== "string") continue;
    const place = one.in;
    if (place !== "path" && place !== "query" && place !== "header") {
      if (one.required === true) throw new Error(`it needs "${one.name}" in a place that is not supported`);
      continue;
    }
    if (place === "header" && (OWN_HEADERS.has(one.name.toLowerCase()) || !/^[\w-]+$/.test(one.name)))
      continue;
    const style = typeof one.style === "string" ? one.style : place === "query" ? "form" : "simple";
    byPlace.set(`${place} ${one.name}`, {
      name: one.name,
      key: one.name,
      in: place,
      style,
      explode: typeof one.explode === "boolean" ? one.explode : style === "form",
      required: place === "path" || one.required === true,
      schema: withDescription(read(one.schema ?? contentSchema(one.content)), one.description),
    });
  }
  const all = [...byPlace.values()];
  for (const one of all)
    if (all.some((other) => other !== one && other.name === one.name)) one.key = `${one.name}_${one.in}`;
  return all;
}

function readBody(document: ApiDocument, given: unknown, parameters: Parameter[]): Body | undefined {
  const body = follow(document, given);
  if (!isObject(body) || !isObject(body.content)) return undefined;
  const types = Object.entries(body.content);
  const [contentType, media] =
    types.find(([type]) => /^application\/([\w.-]+\+)?json\b|^\*\/\*$/i.test(type)) ??
    types.find(([type]) => FORM.test(type)) ??
    [];
  if (contentType === undefined || !isObject(media)) {
    if (body.required === true) throw new Error("its body is neither JSON nor a form");
    return undefined;
  }
  const key = parameters.some((one) => one.key === "body") ? "requestBody" : "body";
  const schema = withDescription(schemaReader(document)(media.schema ?? {}), body.description);
  return {
    key,
    required: body.required === true,
    schema,
    contentType: contentType === "*/*" ? "application/json" : contentType,
    ...(FORM.test(contentType) && { fields: fieldsOf(media.encoding) }),
  };
}

function fieldsOf(encoding: unknown): NonNullable<Body["fields"]> {
  const given = isObject(encoding) ? Object.entries(encoding) : [];
  return Object.fromEntries(
    given.flatMap(([name, one]) => {
      if (!isObject(one)) return [];
      const style = typeof one.style === "string" ? one.style : "form";
      return [[name, { style, explode: typeof one.explode === "boolean" ? one.explode : style === "form" }]];
    }),
  );
}

function contentSchema(content: unknown): unknown {
  const [media] = isObject(content) ? Object.values(content) : [];
  return isObject(media) ? media.schema : undefined;
}

function withDescription(schema: JsonSchema, description: unknown): JsonSchema {
  return typeof description === "string" ? { ...schema, description: cleanText(description, 500) } : schema;
}

function securityOf(security: unknown): string[] {
  if (!Array.isArray(security)) return [];
  return security.flatMap((one) => (isObject(one) ? Object.keys(one) : []));
}
