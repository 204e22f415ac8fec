import { isObject } from "../../protocol/json.ts";
import { lookUp } from "../../protocol/json-pointer.ts";

type Fields = Record<string, unknown>;

const METHODS = ["get", "head", "post", "put", "patch", "delete"];
/** What a parameter itself says in 2.0 and its schema says later. */
const SCHEMA_FIELDS =
  "type format items enum default minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems".split(
    " ",
  );
/** How the values of a list are put together. */
const LISTS: Readonly<Record<string, Fields>> = {
  csv: { explode: false },
  ssv: { style: "spaceDelimited", explode: false },
  pipes: { style: "pipeDelimited", explode: false },
  multi: { explode: true },
};

/** Rewrites a Swagger 2.0 document in the form of OpenAPI 3.0. Its schemas stay where its references point. */
export function fromSwagger(root: Fields): Fields {
  const paths = isObject(root.paths) ? root.paths : {};
  return {
    ...root,
    openapi: "3.0.3",
    servers: [{ url: addressOf(root) }],
    components: { securitySchemes: securitySchemesOf(root.securityDefinitions) },
    paths: Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, pathOf(root, item)])),
  };
}

function addressOf({ host, basePath, schemes }: Fields): string {
  const path = typeof basePath === "string" ? basePath : "/";
  if (typeof host !== "string" || host === "") return path;
  const known = Array.isArray(schemes) ? schemes : [];
  const scheme = known.includes("https") || known.length === 0 ? "https:" : "http:";
  return `${scheme}//${host}${path.startsWith("/") ? path : `/${path}`}`;
}

function securitySchemesOf(definitions: unknown): Fields {
  const given = isObject(definitions) ? Object.entries(definitions) : [];
  return Object.fromEntries(
    given.map(([name, one]) => [
      name,
      isObject(one) && one.type === "basic" ? { type: "http", scheme: "basic" } : one,
    ]),
  );
}

function pathOf(root: Fields, given: unknown): unknown {
  const item = resolved(root, given);
  if (!isObject(item)) return undefined;
  const shared = listOf(item.parameters).map((one) => resolved(root, one));
  const operations = METHODS.flatMap((method) =>
    isObject(item[method]) ? [[method, operationOf(root, item[method], shared)]] : [],
  );
  return Object.fromEntries(operations);
}

function operationOf(root: Fields, operation: Fields, shared: readonly unknown[]): Fields {
  const own = listOf(operation.parameters).map((one) => resolved(root, one));
  const isReplaced = (one: unknown) =>
    isObject(one) && own.some((other) => isObject(other) && other.name === one.name && other.in === one.in);
  const all = [...shared.filter((one) => !isReplaced(one)), ...own].filter(isObject);
  const consumes = listOf(operation.consumes ?? root.consumes).filter((type) => typeof type === "string");
  const body = all.find((one) => one.in === "body");
  const fields = all.filter((one) => one.in === "formData");
  return {
    ...operation,
    parameters: all.filter((one) => one.in !== "body" && one.in !== "formData").map(parameterOf),
    ...(body && { requestBody: bodyOf(body, consumes) }),
    ...(fields.length > 0 && { requestBody: formOf(fields) }),
  };
}

function parameterOf({ collectionFormat, ...parameter }: Fields): Fields {
  const schema = Object.fromEntries(
    SCHEMA_FIELDS.flatMap((field) => (field in parameter ? [[field, parameter[field]]] : [])),
  );
  const list = schema.type === "array" ? LISTS[String(collectionFormat ?? "csv")] : undefined;
  return { ...parameter, ...list, schema };
}

function bodyOf({ schema, required, description }: Fields, consumes: readonly string[]): Fields {
  const types = consumes.length > 0 ? consumes : ["application/json"];
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  return { content, required, description };
}

function formOf(fields: readonly Fields[]): Fields {
  const described = fields.map((one): [string, Fields] => {
    const { schema, style, explode } = parameterOf(one);
    return [
      String(one.name),
      { schema: { ...Object(schema), description: one.description }, style, explode },
    ];
  });
  const hasFile = fields.some(({ type }) => type === "file");
  const required = fields.filter((one) => one.required === true).map(({ name }) => name);
  const schema = {
    type: "object",
    properties: Object.fromEntries(described.map(([name, one]) => [name, one.schema])),
    required,
  };
  const encoding = Object.fromEntries(
    described.map(([name, { style, explode }]) => [name, { style, explode }]),
  );
  const type = hasFile ? "multipart/form-data" : "application/x-www-form-urlencoded";
  return { content: { [type]: { schema, encoding } }, required: required.length > 0 };
}

function resolved(root: Fields, value: unknown): unknown {
  return isObject(value) && typeof value.$ref === "string" ? lookUp(root, value.$ref) : value;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
