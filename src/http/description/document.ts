import { z } from "zod";
import type { Json } from "../../protocol/json.ts";
import { isVersionOne } from "../address.ts";
import type { Route } from "../context.ts";
import { isAnthropicPath } from "../dialects/anthropic/errors.ts";
import type { Answer, Body } from "./descriptions.ts";
import { type Operation, operationOf, TAGS } from "./operations.ts";
import { SCHEMAS, type SchemaName } from "./schemas.ts";

type Tree = { [key: string]: Json };

const IDENTITY: Json = [{ bearer: [] }, { cookie: [] }, {}];
const PARAMETER = /:(\w+)(?:\{[^}]*\})?/g;

/** Changes only when existing clients would break. */
const VERSION = "1";

/** Returns the routes as an OpenAPI 3.1 document. */
export function describeRoutes(routes: readonly Pick<Route, "method" | "path">[]): Tree {
  const paths: Record<string, Tree> = {};
  for (const route of routes) {
    const { method, path } = route;
    const address = path.replace(PARAMETER, "{$1}");
    const operation = describeOperation(method, path, operationOf(route));
    paths[address] = { ...paths[address], [method.toLowerCase()]: operation };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Tackle",
      version: VERSION,
      summary: "A chat in which the model calls tools on the server and streams every step",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: describeSchemas(),
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key (`tk_…`) or a token." },
        cookie: { type: "apiKey", in: "cookie", name: "tackle_session" },
      },
    },
  };
}

function describeOperation(method: string, path: string, operation: Operation): Tree {
  const { tag, summary, body, query = {}, headers = {}, answers, open, deprecated } = operation;
  const parameters = [
    ...[...path.matchAll(PARAMETER)].map(([, name = ""]) => parameter("path", name, undefined)),
    ...Object.entries(query).map(([name, says]) => parameter("query", name, says)),
    ...Object.entries(headers).map(([name, says]) => parameter("header", name, says)),
  ];
  return {
    operationId: operationId(method, path),
    tags: [tag],
    summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: !mayBeEmpty(body), content: contentOf(body) } } : {}),
    responses: { ...describeAnswers(answers), default: failure(path) },
    security: open ? [] : IDENTITY,
    ...(deprecated ? { deprecated: true } : {}),
  };
}

function describeAnswers(answers: Operation["answers"]): Tree {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [status, describeAnswer([answer].flat())]),
  );
}

function describeAnswer(forms: Answer[]): Tree {
  const said = forms.filter((form) => form !== "nothing");
  if (said.length === 0) return { description: "Done. The body is empty." };
  const description = said
    .map((form) => (typeof form === "string" ? `\`${form}\`` : form.says))
    .join(" Or: ");
  return { description, content: Object.assign({}, ...said.map(contentOf)) as Tree };
}

function contentOf(shape: Body): Tree {
  if (typeof shape === "string") return { "application/json": { schema: reference(shape) } };
  if (shape.type === "multipart/form-data") {
    const bytes = { type: "string", contentMediaType: "application/octet-stream" };
    return { [shape.type]: { schema: { type: "object", properties: { file: bytes }, required: ["file"] } } };
  }
  return { [shape.type]: { schema: { type: "string", description: shape.says } } };
}

/** True for a body whose fields all have defaults. */
function mayBeEmpty(body: Body): boolean {
  return typeof body === "string" && SCHEMAS[body].safeParse({}).success;
}

function parameter(place: string, name: string, description: string | undefined): Tree {
  const facts = { name, in: place, required: place === "path", schema: { type: "string" } };
  return description ? { ...facts, description } : facts;
}

function failure(path: string): Tree {
  const shape = errorShape(path);
  return { description: "What went wrong, and whether a retry can help.", content: contentOf(shape) };
}

function errorShape(path: string): SchemaName {
  if (isAnthropicPath(path)) return "AnthropicError";
  if (isVersionOne(path)) return "OpenAiError";
  return path === "/mcp" ? "JsonRpc" : "Error";
}

/** `POST /runs/:id/cancel` → `postRunsOneCancel`. Stable as long as the path is. */
function operationId(method: string, path: string): string {
  const words = path
    .replace(PARAMETER, (_, name: string) => (name === "id" ? "one" : name))
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
  return method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join("");
}

/** Every named shape as JSON Schema. */
export function describeSchemas(): Record<string, Tree> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: "input",
    unrepresentable: "any",
    uri: (id) => `#/components/schemas/${id}`,
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $id: _id, $schema: _schema, ...schema }]) => [
      name,
      schema as Tree,
    ]),
  );
}

function reference(name: SchemaName): Tree {
  return { $ref: `#/components/schemas/${name}` };
}
