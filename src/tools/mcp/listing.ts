import { createHash } from "node:crypto";
import type { Client } from "@modelcontextprotocol/client";
import { z } from "zod";
import { cleanText } from "../../protocol/clean-text.ts";
import { isObject, type JsonSchema } from "../../protocol/json.ts";
import { interfaceOf, type ToolInterface } from "./apps.ts";
import { headerParameters } from "./parameter-headers.ts";

const MAX_TOOLS = 500;
const MAX_PAGES = 50;
const MAX_DESCRIPTION = 4_000;
const MAX_SCHEMA_TEXT = 2_000;
const MAX_SCHEMA_CHARACTERS = 100_000;
const MAX_SCHEMA_DEPTH = 40;
/** How long a server may take for a page of what it offers. */
export const LIST_TIMEOUT_MS = 20_000;

/** A tool as its server describes it, with the texts cleaned. */
export interface ListedTool {
  /** The server's name for it. */
  name: string;
  description: string;
  schema: JsonSchema;
  /** The server's claims about the tool's effects. */
  claims: { readOnly: boolean; openWorld: boolean; adds: boolean };
  interface?: ToolInterface;
  /** Changes whenever anything in the server's description changes. */
  hash: string;
  /** Set if it is ours and reads what the server offers besides tools. */
  offer?: "resources" | "prompts";
  /** What a person can ask for by name: `/server.name`. */
  commands?: readonly { name: string; description: string }[];
}

/** Tools are parsed one by one, so that a broken one does not affect the others. */
const page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const listed = z.object({
  name: z.string().min(1).max(128),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({}).nullish(),
  annotations: z.looseObject({}).optional(),
  _meta: z.unknown().optional(),
  execution: z.looseObject({ taskSupport: z.string().optional() }).optional(),
});

/** Lists a server's tools. Tools that cannot be used are reported and left out. */
export async function listTools(client: Client, onProblem: (line: string) => void): Promise<ListedTool[]> {
  const tools = new Map<string, ListedTool>();
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: "tools/list", params }, page, { timeout: LIST_TIMEOUT_MS });
    for (const entry of answer.tools) {
      if (tools.size >= MAX_TOOLS) {
        onProblem(`it offers more than ${MAX_TOOLS} tools, of which the first ${MAX_TOOLS} are taken`);
        return [...tools.values()];
      }
      const read = readTool(entry, client.getProtocolEra() === "modern");
      if ("problem" in read) onProblem(read.problem);
      else if (tools.has(read.tool.name)) onProblem(`it lists two tools called "${shown(read.tool.name)}"`);
      else tools.set(read.tool.name, read.tool);
    }
    cursor = answer.nextCursor;
    if (cursor === undefined) return [...tools.values()];
  }
  onProblem(`its list of tools does not end after ${MAX_PAGES} pages`);
  return [...tools.values()];
}

function readTool(entry: unknown, modern: boolean): { tool: ListedTool } | { problem: string } {
  const name = isObject(entry) && typeof entry.name === "string" ? entry.name : "";
  const refuse = (why: string) => ({ problem: `its tool "${shown(name)}" is not offered: ${why}` });
  const parsed = listed.safeParse(entry);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuse(`${issue?.path.join(".") || "it"} is not valid`);
  }
  const { title, description, annotations, execution } = parsed.data;
  const inputSchema = ofObject(parsed.data.inputSchema ?? {});
  if (!inputSchema) return refuse("its parameters are not those of an object");
  if (execution?.taskSupport === "required") return refuse("it runs only as a task, which is not supported");
  const headers = modern ? headerParameters(inputSchema) : [];
  if ("problem" in headers) return refuse(headers.problem);
  const text = JSON.stringify(inputSchema);
  const own = interfaceOf(parsed.data._meta);
  if (text.length > MAX_SCHEMA_CHARACTERS) return refuse("the schema of its parameters is too large");
  return {
    tool: {
      name,
      description:
        cleanText(description ?? "", MAX_DESCRIPTION).trim() ||
        cleanText(title ?? "", 200).trim() ||
        cleanText(name, 128),
      schema: cleanSchema(inputSchema) as JsonSchema,
      claims: {
        readOnly: annotations?.readOnlyHint === true,
        openWorld: annotations?.openWorldHint === true,
        adds: annotations?.destructiveHint === false,
      },
      interface: own,
      hash: hash([
        name,
        title ?? "",
        description ?? "",
        text,
        JSON.stringify(annotations ?? {}),
        ...(own ? [JSON.stringify(own)] : []),
      ]),
    },
  };
}

/** Servers forget the type, or allow null besides. Arguments are always an object. */
function ofObject(schema: JsonSchema): JsonSchema | undefined {
  const types = [schema.type ?? "object"].flat();
  return types.includes("object") ? { ...schema, type: "object" } : undefined;
}

/** Removes hidden characters from a schema, and what is nested too deeply. */
function cleanSchema(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return cleanText(value, MAX_SCHEMA_TEXT);
  if (typeof value === "object" && value !== null && depth > MAX_SCHEMA_DEPTH)
    return Array.isArray(value) ? [] : {};
  if (Array.isArray(value)) return value.map((inner) => cleanSchema(inner, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [cleanText(key, 200), cleanSchema(inner, depth + 1)]),
  );
}

/** A name from a server, safe to show in one line. */
export function shown(name: string): string {
  return cleanText(name, 64).replace(/\s+/g, " ");
}

function hash(parts: string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
