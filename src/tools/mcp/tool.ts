import { createHash } from "node:crypto";
import type { ToolApp } from "../../protocol/apps.ts";
import { Failure } from "../../protocol/failure.ts";
import { because } from "../../protocol/reasons.ts";
import type { Effect, Tool, ToolContext, ToolOutput } from "../../protocol/tool.ts";
import { schemaWithoutTexts, toolFromOutside } from "../outside-tool.ts";
import type { ListedTool } from "./listing.ts";
import type { Pins } from "./pins.ts";
import type { ServerSettings } from "./settings.ts";

const MAX_NAME = 64;
const DOUBTS = {
  changed: "its description changed since it was approved",
  new: "its server did not offer it when it was approved",
};

export interface ServerToolParts {
  server: ServerSettings;
  listed: ListedTool;
  pins: Pins;
  /** The tool as the server describes it now. */
  current(): ListedTool | undefined;
  call(listed: ListedTool, args: Record<string, unknown>, context: ToolContext): Promise<ToolOutput>;
  /** Reads the page of its interface. */
  readPage(resourceUri: string, context: Parameters<ToolApp["read"]>[0]): ReturnType<ToolApp["read"]>;
  /** Called when a person has approved the tool as it is now. */
  approved(): void;
}

/** Wraps a server's tool as one of ours. Throws an error that says why that is not possible. */
export function serverTool(parts: ServerToolParts): Tool {
  const { server, listed, pins, current, call, approved } = parts;
  const name = toolName(server.name, listed.name);
  const { effect, readOnly } = effectOf(server, listed);
  const doubt = pins.doubt(listed);
  const base = {
    name,
    // An unapproved description is withheld from the model, because it could contain instructions.
    description: doubt
      ? `Of the MCP server ${server.name}. A person is asked before it runs, and its description is withheld until then: ${DOUBTS[doubt]}.`
      : listed.description,
    effect,
    retry: effect === "read" || effect === "none" ? ("idempotent" as const) : ("unsafe" as const),
    trust: "untrusted" as const,
    timeoutMs: server.timeoutMs,
    async run(args: unknown, context: ToolContext) {
      await pinIfDoubted(context);
      return call(listed, args as Record<string, unknown>, context);
    },
  };

  /** Pins the tool as approved. A call that gets here has its approval; the operator approves for everybody. */
  async function pinIfDoubted({ principal }: ToolContext): Promise<void> {
    if (current()?.hash !== listed.hash) {
      throw new Failure(
        "TOOL_DENIED",
        `${name} was changed by its server in the meantime, so it was not run. Ask again to see it as it is now.`,
      );
    }
    if (!pins.doubt(listed) || (principal.kind !== "owner" && principal.role !== "admin")) return;
    await pins.approve(listed);
    approved();
  }

  const resourceUri = listed.interface?.resourceUri;
  return {
    ...toolFromOutside(base, listed.schema),
    ...(resourceUri === undefined
      ? {}
      : {
          app: {
            server: server.name,
            resourceUri,
            read: (context: Parameters<ToolApp["read"]>[0]) => parts.readPage(resourceUri, context),
          },
        }),
    source: `the MCP server ${server.name}`,
    readOnly,
    adds: server.trust && listed.claims.adds,
    ...(listed.commands && { commands: listed.commands }),
    ...(doubt && { parameters: schemaWithoutTexts(listed.schema) }),
    upstream: () => `The MCP server '${server.name}'`,
    mustAsk: () => {
      const why = pins.doubt(listed);
      return why && because(`tool_${why}`, { tool: name });
    },
    preview: async (args) => {
      const call = `${listed.name} of the MCP server ${server.name}\n${JSON.stringify(args, null, 2)}`;
      return pins.doubt(listed) ? `${call}\n\nIt now describes itself so:\n${listed.description}` : call;
    },
  };
}

/** `server.tool`, with characters that tool names cannot have replaced. A long name ends in a hash. */
export function toolName(server: string, tool: string): string {
  const name = `${server}.${tool.replace(/[^A-Za-z0-9_.-]/g, "_")}`;
  if (name.length <= MAX_NAME) return name;
  const hash = createHash("sha256").update(tool).digest("hex").slice(0, 8);
  return `${name.slice(0, MAX_NAME - 9)}_${hash}`;
}

/** A server's hints about its tools only count where the operator trusts it. Otherwise every tool may write. */
function effectOf(
  server: ServerSettings,
  { name, claims, offer }: ListedTool,
): { effect: Effect; readOnly: boolean } {
  const said = Object.hasOwn(server.effects, name) ? server.effects[name] : undefined;
  const isReading = offer !== undefined || (server.trust && claims.readOnly);
  const readOnly = isReading && (said ?? "network") === "network";
  if (said) return { effect: said, readOnly };
  if (!readOnly) return { effect: "write", readOnly };
  return { effect: server.kind === "remote" || claims.openWorld ? "network" : "read", readOnly };
}
