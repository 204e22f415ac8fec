import { Failure } from "../../protocol/failure.ts";
import { toolFromPlain } from "../../protocol/plain-tool.ts";
import type { Effect, Tool, ToolContext, ToolOutput } from "../../protocol/tool.ts";
import type { ListedTool } from "./listing.ts";
import type { Pins } from "./pins.ts";
import { checkedSchema, looseSchema, schemaWithoutTexts } from "./schema.ts";
import type { ServerSettings } from "./settings.ts";

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
  /** Called when a person has approved the tool as it is now. */
  approved(): void;
}

/** Wraps a server's tool as one of ours. Throws an error that says why that is not possible. */
export function serverTool({ server, listed, pins, current, call, approved }: ServerToolParts): Tool {
  const name = toolName(server.name, listed.name);
  const effect = effectOf(server, listed);
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
    ...(server.timeoutMs === undefined ? {} : { timeoutMs: server.timeoutMs }),
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

  return {
    ...checked(base, listed),
    parameters: doubt ? schemaWithoutTexts(listed.schema) : listed.schema,
    upstream: () => `The MCP server '${server.name}'`,
    mustAsk: () => {
      const why = pins.doubt(listed);
      return why && `A person has to approve ${name}: ${DOUBTS[why]}.`;
    },
    preview: async (args) => {
      const call = `${listed.name} of the MCP server ${server.name}\n${JSON.stringify(args, null, 2)}`;
      return pins.doubt(listed) ? `${call}\n\nIt now describes itself so:\n${listed.description}` : call;
    },
  };
}

/** `server.tool`, with characters that tool names cannot have replaced. */
export function toolName(server: string, tool: string): string {
  return `${server}.${tool.replace(/[^A-Za-z0-9_.-]/g, "_")}`;
}

function checked(
  base: Omit<Parameters<typeof toolFromPlain>[0], "parameters">,
  { schema }: ListedTool,
): Tool {
  try {
    return toolFromPlain({ ...base, parameters: checkedSchema(schema) });
  } catch {
    // The schema is not supported: only the parameter names are checked. Other errors are thrown again.
    return toolFromPlain({ ...base, parameters: looseSchema(schema) });
  }
}

/** A server's hints about its tools only count where the operator trusts it. Otherwise every tool may write. */
function effectOf(server: ServerSettings, { name, claims }: ListedTool): Effect {
  const said = Object.hasOwn(server.effects, name) ? server.effects[name] : undefined;
  if (said) return said;
  if (!server.trust || !claims.readOnly) return "write";
  return server.kind === "remote" || claims.openWorld ? "network" : "read";
}
