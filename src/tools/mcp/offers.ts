import type { Client } from "@modelcontextprotocol/client";
import { z } from "zod";
import { cleanText } from "../../protocol/clean-text.ts";
import type { ToolOutput } from "../../protocol/tool.ts";
import { LIST_TIMEOUT_MS, type ListedTool } from "./listing.ts";
import { callResult, readResult } from "./result.ts";

/** What servers offer besides tools. Each becomes one tool of ours, so that reading it passes the same checks as a call. */
type Offer = NonNullable<ListedTool["offer"]>;

const MAX_PAGES = 10;
const MAX_ITEMS = 500;
const MAX_LINE = 300;

const argument = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  required: z.boolean().optional(),
});
const item = z.looseObject({
  name: z.string().default(""),
  title: z.string().optional(),
  description: z.string().optional(),
  uri: z.string().optional(),
  uriTemplate: z.string().optional(),
  mimeType: z.string().optional(),
  arguments: z.array(argument).optional(),
});
type Item = z.infer<typeof item>;
const page = z.looseObject({ nextCursor: z.string().optional() });

const block = callResult.shape.content.unwrap().element;
const promptResult = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: block })).default([]),
});
const resourceResult = z.looseObject({ contents: z.array(z.looseObject({ uri: z.string() })).default([]) });

const claims = { readOnly: true, openWorld: false, adds: true };
const TOOLS: Record<Offer, Pick<ListedTool, "description" | "schema">> = {
  resources: {
    description:
      "Reads a resource of this MCP server, such as a document or a record, into the conversation. Without a uri, it lists the resources.",
    schema: {
      type: "object",
      properties: {
        uri: {
          type: "string",
          description: "The address of a listed resource, or a listed template filled in.",
        },
      },
      additionalProperties: false,
    },
  },
  prompts: {
    description:
      "Gets a prompt that this MCP server has prepared, for a person who asks for it by name. Without a name, it lists the prompts.",
    schema: {
      type: "object",
      properties: {
        name: { type: "string", description: "The name of a listed prompt." },
        arguments: {
          type: "object",
          additionalProperties: { type: "string" },
          description: "The values of the prompt's arguments.",
        },
      },
      additionalProperties: false,
    },
  },
};

/** Returns a tool for each thing that the server offers besides tools. The server's own tools keep their names. */
export async function offeredTools(client: Client, tools: readonly ListedTool[]): Promise<ListedTool[]> {
  const capabilities = client.getServerCapabilities();
  const offers = (["resources", "prompts"] as const).filter(
    (offer) => capabilities?.[offer] && tools.every(({ name }) => name !== offer),
  );
  const listed = await Promise.all(
    offers.map(async (offer): Promise<ListedTool> => {
      const commands = offer === "prompts" ? await listItems(client, "prompts").catch(() => []) : [];
      return {
        name: offer,
        ...TOOLS[offer],
        claims,
        hash: `offer:${offer}:${JSON.stringify(commands)}`,
        offer,
        commands: commands.map((one) => ({ name: one.name, description: about({ ...one, name: "" }) })),
      };
    }),
  );
  return listed;
}

/** Lists or reads what a server offers. `ask` sends the request and answers what the server wants to know meanwhile. */
export async function readOffer(
  client: Client,
  { offer, toolName }: { offer: Offer; toolName: string },
  args: Record<string, unknown>,
  ask: (method: string, params: Record<string, unknown>) => Promise<unknown>,
): Promise<ToolOutput> {
  if (offer === "prompts") {
    if (args.name === undefined) return listing({ prompts: await listItems(client, "prompts") });
    const { name, arguments: values = {} } = args;
    const { messages } = promptResult.parse(await ask("prompts/get", { name, arguments: values }));
    const content = messages.flatMap(({ role, content: said }) => [{ type: "text", text: `${role}:` }, said]);
    return readResult(toolName, callResult.parse({ content }));
  }
  if (args.uri === undefined) {
    const resources = await listItems(client, "resources");
    const templates = await listItems(client, "resourceTemplates").catch(() => []);
    return listing({ resources, templates });
  }
  const { contents } = resourceResult.parse(await ask("resources/read", { uri: args.uri }));
  const content = contents.map((resource) => ({ type: "resource", resource }));
  return readResult(toolName, callResult.parse({ content }));
}

const METHODS = {
  prompts: "prompts/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
} as const;

async function listItems(client: Client, kind: keyof typeof METHODS): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && items.length < MAX_ITEMS; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: METHODS[kind], params }, page, {
      timeout: LIST_TIMEOUT_MS,
    });
    const read = z.array(z.unknown()).safeParse(answer[kind]);
    for (const entry of read.data ?? []) {
      const one = item.safeParse(entry);
      if (one.success) items.push(one.data);
    }
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return items.slice(0, MAX_ITEMS);
}

function listing(lists: Record<string, Item[]>): ToolOutput {
  const lines = Object.entries(lists).flatMap(([kind, items]) => [
    `${items.length} ${kind}`,
    ...items.map((one) => `- ${about(one)}`),
  ]);
  return { output: lines.join("\n"), data: lists, trust: "untrusted" };
}

/** One line about a resource or a prompt. */
function about({ name, title, description, uri, uriTemplate, arguments: given = [] }: Item): string {
  const values = given.map((one) => (one.required ? one.name : `${one.name}?`)).join(", ");
  const head = [uri ?? uriTemplate ?? name, values && `(${values})`].filter(Boolean).join(" ");
  const rest = [uri || uriTemplate ? (title ?? name) : title, description].filter(Boolean).join(": ");
  return cleanText([head, rest].filter(Boolean).join(" · "), MAX_LINE).replace(/\s+/g, " ");
}
