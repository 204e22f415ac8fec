import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { cleanText } from "../../../protocol/clean-text.ts";
import { type Failure, toFailure } from "../../../protocol/failure.ts";
import { isObject } from "../../../protocol/json.ts";
import type { PastResults } from "../../../protocol/past-results.ts";
import type { Principal } from "../../../protocol/principal.ts";
import type { Tool, ToolProgress } from "../../../protocol/tool.ts";

/** A call from another program's model. */
export interface McpToolCall {
  principal: Principal;
  name: string;
  args: Record<string, unknown>;
  signal: AbortSignal;
  /** The id of the HTTP request; undefined over stdio. */
  requestId: string | undefined;
  /** Earlier results of this connection. */
  pastResults: PastResults;
  /** Asks the person through that program; undefined where it cannot do that. */
  ask?: ((question: string) => Promise<boolean>) | undefined;
  progress(progress: ToolProgress): void;
}

const MAX_QUESTION = 4_000;
/** How long a person may take. */
const ASK_TIMEOUT_MS = 600_000;

/** What the MCP server needs. It has no other access to tools. */
export interface McpDependencies {
  version: string;
  /** The tools that are offered to this person, always in the same order. */
  tools(principal: Principal): Tool[];
  /** Runs a tool behind the guard, if the policy or the person allows it. Throws `Failure`. */
  call(call: McpToolCall): Promise<{ output: string; data?: unknown }>;
  /** Calls back when the tools change. Returns a function that stops it. */
  onChange(callback: () => void): () => void;
}

export interface McpCaller {
  principal: Principal;
  pastResults: PastResults;
  /** Aborts when the caller is gone. */
  gone?: AbortSignal;
}

/** Creates an MCP server with our tools for one caller. Each connection needs its own. */
export function createMcpServer(parts: McpDependencies, caller: McpCaller): Server {
  const server = new Server(
    { name: "tackle", version: parts.version },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler("tools/list", () => ({ tools: parts.tools(caller.principal).map(listing) }));
  server.setRequestHandler("tools/call", async (request, context) => {
    const { name, arguments: args = {} } = request.params;
    const { gone, requestId } = requestOf(context);
    const signals = [context.mcpReq.signal, gone, caller.gone].filter((signal) => signal !== undefined);
    try {
      const { principal, pastResults } = caller;
      const signal = AbortSignal.any(signals);
      const [progress, ask] = [progressOf(context), askOver(server, context, signal)];
      return toResult(
        await parts.call({ principal, name, args, signal, requestId, pastResults, ask, progress }),
      );
    } catch (thrown) {
      return toErrorResult(toFailure(thrown));
    }
  });
  return server;
}

/** Notifies the client of every change of the tools. Returns a function that stops it. */
export function announceChanges(parts: McpDependencies, server: Server): () => void {
  let notified = true;
  return parts.onChange(() => {
    if (!notified) return;
    notified = false;
    // Many tools change at once. One notification is enough.
    setImmediate(() => {
      notified = true;
      server.sendToolListChanged().catch(() => undefined); // The client is gone.
    });
  });
}

function listing(tool: Tool) {
  const { name, description, effect, retry, parameters } = tool;
  return {
    name,
    description,
    inputSchema: { ...parameters, type: "object" as const },
    annotations: {
      readOnlyHint: effect !== "write",
      destructiveHint: effect === "write",
      idempotentHint: retry !== "unsafe",
      openWorldHint: effect === "network" || tool.trust === "untrusted",
    },
  };
}

function toResult({ output, data }: { output: string; data?: unknown }): CallToolResult {
  return {
    content: [{ type: "text", text: output }],
    ...(isObject(data) ? { structuredContent: data } : {}),
  };
}

/** An unknown tool is a protocol error. Other failures are results, so that the model can read them. */
function toErrorResult(failure: Failure): CallToolResult {
  const { code, status, publicMessage: message, retryAfter } = failure;
  if (code === "TOOL_UNKNOWN") throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  const error = { code, status, message, ...(retryAfter === undefined ? {} : { retryAfter }) };
  return { isError: true, content: [{ type: "text", text: message }], structuredContent: { error } };
}

function progressOf({ mcpReq }: ServerContext): (progress: ToolProgress) => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let step = 0;
  return ({ message, percent }) => {
    step = Math.max(step + 0.001, percent ?? step + 1);
    const params = {
      progressToken,
      progress: step,
      message,
      ...(percent === undefined ? {} : { total: 100 }),
    };
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined); // The caller is gone.
  };
}

/** Returns a function that asks the person, for clients that support it. */
function askOver(server: Server, { mcpReq }: ServerContext, signal: AbortSignal) {
  const { elicitation } = server.getClientCapabilities() ?? {};
  const canAsk =
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  if (!canAsk || mcpReq.envelope !== undefined) return undefined;
  return async (question: string): Promise<boolean> => {
    const requestedSchema = {
      type: "object" as const,
      properties: { allow: { type: "boolean" as const, title: "Allow this call", default: false } },
      required: ["allow"],
    };
    const message = cleanText(question, MAX_QUESTION);
    const { action, content } = await mcpReq.elicitInput(
      { mode: "form", message, requestedSchema },
      { signal, timeout: ASK_TIMEOUT_MS },
    );
    return action === "accept" && content?.allow === true;
  };
}

function requestOf({ http }: ServerContext): { gone?: AbortSignal; requestId?: string } {
  const { gone, requestId } = http?.authInfo?.extra ?? {};
  return {
    ...(gone instanceof AbortSignal ? { gone } : {}),
    ...(typeof requestId === "string" ? { requestId } : {}),
  };
}
