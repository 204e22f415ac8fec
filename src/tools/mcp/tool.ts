import { Failure } from "../../protocol/failure.ts";
import { toolFromPlain } from "../../protocol/plain-tool.ts";
import type { Effect, Tool, ToolContext, ToolOutput } from "../../protocol/tool.ts";
import type { ListedTool } from "./listing.ts";
import type { Pins } from "./pins.ts";
import { checkedSchema, looseSchema, wordlessSchema } from "./schema.ts";
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
  /** Is told that a person has let the tool in as it now is. */
  approved(): void;
}

/** A server's tool as one of ours. Throws an error that names what keeps it from being one. */
export function serverTool({ server, listed, pins, current, call, approved }: ServerToolParts): Tool {
  const name = toolName(server.name, listed.name);
  const effect = effectOf(server, listed);
  const doubt = pins.doubt(listed);
  const base = {
    name,
    // Words that nobody has approved are kept from the model: they could tell it what to do.
    description: doubt
      ? `Of the MCP server ${server.name}. A person is asked before it runs, and its description is withheld until then: ${DOUBTS[doubt]}.`
      : listed.description,
    effect,
    retry: effect === "read" || effect === "none" ? ("idempotent" as const) : ("unsafe" as const),
    trust: "untrusted" as const,
    ...(server.timeoutMs === undefined ? {} : { timeoutMs: server.timeoutMs }),
    async run(args: unknown, context: ToolContext) {
      await letIn(context);
      return call(listed, args as Record<string, unknown>, context);
    },
  };

  /** A call that gets here was approved where it had to be. Whoever runs the server approves for everybody. */
  async function letIn({ principal }: ToolContext): Promise<void> {
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
    parameters: doubt ? wordlessSchema(listed.schema) : listed.schema,
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

/** `server.tool`, with whatever may not stand in a tool's name replaced. */
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
    // More than we can check: the names of its parameters still are. What is wrong with the rest throws again.
    return toolFromPlain({ ...base, parameters: looseSchema(schema) });
  }
}

/** What a server says of its own tools is a claim: unless the operator vouches for it, each may change something. */
function effectOf(server: ServerSettings, { name, claims }: ListedTool): Effect {
  const said = Object.hasOwn(server.effects, name) ? server.effects[name] : undefined;
  if (said) return said;
  if (!server.trust || !claims.readOnly) return "write";
  return server.kind === "remote" || claims.openWorld ? "network" : "read";
}
