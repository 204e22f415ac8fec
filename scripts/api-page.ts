import { writeFileSync } from "node:fs";
import { describeSchemas } from "../src/http/description/document.ts";
import { OPERATIONS, type Operation, TAGS } from "../src/http/description/operations.ts";
import { SCHEMAS } from "../src/http/description/schemas.ts";
import { isObject } from "../src/protocol/json.ts";

type Schema = Record<string, unknown>;

const HEAD = `# The API

This page lists every route with its request body and response. It is generated from the schemas that validate the requests
(\`npm run api-page\`). Every server also serves it as OpenAPI 3.1 at \`/openapi.json\`.

- JSON is camelCase. Request fields are also accepted in snake_case.
- Authenticate with \`Authorization: Bearer …\` (an API key \`tk_…\` or a token) or with the browser's cookie. A server on
  loopback without accounts needs no credentials.
- An error is \`{error, code, requestId, retryable, details?}\` with its HTTP status. 429 and 503 carry \`Retry-After\`.
  Errors under \`/v1\` have OpenAI's format.
- Event streams consist of \`id: <number>\` and \`data: <json>\`, and end with \`data: [DONE]\`. To resume a broken stream,
  call \`GET /runs/:id/events\` with \`Last-Event-ID\`. A client that shows text every 50 ms can say so with \`X-Tackle-Pace: 50\`:
  what happens in between arrives in one piece, which is cheaper to read.
- A session has an id of ours (\`ses_…\`), which the \`session\` event shows. You can also use a name that you make up, such as
  \`"sessionId": "test-session"\`: the first message creates the session, later ones continue it. The name works in
  \`POST /chat\`, in \`conversation_id\` under \`/v1\`, and at \`/sessions/:id\`. Names are private: the same name of another
  caller is another session.
- \`POST /functions/v1/chat\` streams the same events as \`POST /chat\`. It adds the names that clients of such a function read:
  \`tool\`, \`message\`, \`result\` and \`artifact\`.
`;

/** Returns the API page, written from the schemas and the descriptions of the routes. */
export function writeApiPage(): string {
  const schemas: Record<string, Schema> = describeSchemas();
  const groups = Object.entries(TAGS).map(([tag, title]) => {
    const rows = Object.entries(OPERATIONS).filter(([, operation]) => operation.tag === tag);
    return `## ${title}\n| route | what it does | body | returns |\n| --- | --- | --- | --- |\n${rows.map(routeRow).join("\n")}\n`;
  });
  const shapes = Object.keys(SCHEMAS)
    .filter((name) => name !== "ChatEvent" && name !== "AccountEvent")
    .map((name) => shapeSection(name, schemas[name] ?? {}));
  const events = [
    eventSection("Events", schemas.ChatEvent ?? {}),
    eventSection("Events of an account", schemas.AccountEvent ?? {}),
  ];
  return [HEAD, ...groups, ...events, "## Shapes\n", ...shapes].join("\n");
}

function routeRow([route, operation]: [string, Operation]): string {
  const { summary, body, query = {}, answers, deprecated } = operation;
  const parameters = Object.entries(query).map(([name, says]) => `<br>\`?${name}=\` ${says}`);
  const what = `${deprecated ? "*Deprecated.* " : ""}${summary}${parameters.join("")}`;
  const returns = Object.entries(answers).map(([status, answer]) =>
    `${status} ${[answer].flat().map(formName).join(" or ")}`.trimEnd(),
  );
  const name = route.replace(/\{[^}]*\}/g, "");
  return `| \`${name}\` | ${cell(what)} | ${body ? formName(body) : "–"} | ${returns.join("; ")} |`;
}

function formName(form: string | { type: string }): string {
  if (typeof form !== "string") return `\`${form.type}\``;
  return form === "nothing" ? "" : `[${form}](#${form.toLowerCase()})`;
}

function eventSection(title: string, schema: Schema): string {
  const kinds = listOf(schema.anyOf ?? schema.oneOf);
  const rows = kinds.map((kind) => {
    const { type, ...fields } = propertiesOf(kind);
    const optional = optionalIn(kind);
    const names = Object.entries(fields).map(
      ([name, field]) => `\`${name}${optional(name) ? "?" : ""}\`: ${typeName(field)}`,
    );
    return `| \`${String(type?.const)}\` | ${cell(names.join(", "))} |`;
  });
  return `## ${title}\n| type | fields besides \`type\` |\n| --- | --- |\n${rows.join("\n")}\n`;
}

function shapeSection(name: string, schema: Schema): string {
  const fields = Object.entries(propertiesOf(schema));
  const optional = optionalIn(schema);
  const description = typeof schema.description === "string" ? `${schema.description}\n` : "";
  if (fields.length === 0) return `### ${name}\n${description || `${cell(typeName(schema), false)}\n`}`;
  const rows = fields.map(
    ([field, shape]) =>
      `| \`${field}\`${optional(field) ? " (optional)" : ""} | ${cell(typeName(shape))}${noteOn(shape)} |`,
  );
  return `### ${name}\n${description}| field | type |\n| --- | --- |\n${rows.join("\n")}\n`;
}

function noteOn({ description }: Schema): string {
  return typeof description === "string" ? ` – ${cell(description)}` : "";
}

/** A schema in a few words. */
function typeName(schema: Schema): string {
  const { $ref, anyOf, oneOf, type, items, prefixItems, additionalProperties } = schema;
  if (typeof $ref === "string")
    return `[${$ref.split("/").at(-1)}](#${$ref.split("/").at(-1)?.toLowerCase()})`;
  if ("const" in schema) return `\`${JSON.stringify(schema.const)}\``;
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${String(value)}\``).join(" \\| ");
  if (anyOf ?? oneOf)
    return listOf(anyOf ?? oneOf)
      .map(typeName)
      .join(" or ");
  if (type === "array") return arrayName(listOf(prefixItems)[0] ?? (isObject(items) ? items : {}), schema);
  if (type === "object")
    return objectName(schema, isObject(additionalProperties) ? additionalProperties : undefined);
  return typeof type === "string" ? `${type}${boundsOf(schema)}` : "anything";
}

function arrayName(items: Schema, { maxItems }: Schema): string {
  const bound = typeof maxItems === "number" ? `, at most ${maxItems}` : "";
  return `list of ${typeName(items)}${bound}`;
}

function objectName(schema: Schema, values: Schema | undefined): string {
  const optional = optionalIn(schema);
  const fields = Object.entries(propertiesOf(schema)).map(
    ([name, field]) => `${name}${optional(name) ? "?" : ""}: ${typeName(field)}`,
  );
  if (fields.length > 0) return `{${fields.join(", ")}}`;
  return values && Object.keys(values).length > 0 ? `object of ${typeName(values)}` : "object";
}

function boundsOf({ minLength, maxLength, minimum, maximum, format, pattern }: Schema): string {
  if (format === "date-time") return " (time)";
  if (typeof maxLength === "number") {
    const least = typeof minLength === "number" && minLength > 1 ? `${minLength}–` : "≤ ";
    return ` (${least}${maxLength} characters)`;
  }
  if (typeof minimum === "number" && typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER)
    return ` (${minimum}–${maximum})`;
  return typeof format === "string" && pattern === undefined ? ` (${format})` : "";
}

function optionalIn({ required }: Schema): (name: string) => boolean {
  const names = new Set(Array.isArray(required) ? required : []);
  return (name) => !names.has(name);
}

function propertiesOf({ properties }: Schema): Record<string, Schema> {
  return isObject(properties) ? (properties as Record<string, Schema>) : {};
}

function listOf(value: unknown): Schema[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function cell(text: string, inTable = true): string {
  return inTable ? text.replaceAll("\n", " ").replaceAll(/(?<!\\)\|/g, "\\|") : text;
}

if (import.meta.main) writeFileSync(new URL("../docs/api.md", import.meta.url), writeApiPage());
