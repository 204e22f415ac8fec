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

/** A call that the model of another program makes. */
export interface McpToolCall {
  principal: Principal;
  name: string;
  args: Record<string, unknown>;
  signal: AbortSignal;
  /** What has passed through this connection before. */
  pastResults: PastResults;
  /** Asks the person in front of that program; undefined where it has no way to. */
  ask?: ((question: string) => Promise<boolean>) | undefined;
  progress(progress: ToolProgress): void;
}

const MAX_QUESTION = 4_000;
/** A person may take their time. */
const ASK_TIMEOUT_MS = 600_000;

/** All that the door is handed; it has no other way to a tool. */
export interface McpDependencies {
  version: string;
  /** What is offered, always in the same order. */
  tools(): Tool[];
  /** Runs a tool behind all layers, where the policy allows it or the person does. Throws `Failure`. */
  call(call: McpToolCall): Promise<{ output: string; data?: unknown }>;
  /** Calls back when the offer has changed; answers how to stop that. */
  onChange(callback: () => void): () => void;
}

export interface McpCaller {
  principal: Principal;
  pastResults: PastResults;
  /** Aborts when the caller is gone. */
  gone?: AbortSignal;
}

/** Our tools as an MCP server for one caller. Each connection gets one of its own. */
export function createMcpServer(parts: McpDependencies, caller: McpCaller): Server {
  const server = new Server(
    { name: "tackle", version: parts.version },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler("tools/list", () => ({ tools: parts.tools().map(listing) }));
  server.setRequestHandler("tools/call", async (request, context) => {
    const { name, arguments: args = {} } = request.params;
    const signals = [context.mcpReq.signal, goneOf(context), caller.gone].filter(
      (signal) => signal !== undefined,
    );
    try {
      const { principal, pastResults } = caller;
      const signal = AbortSignal.any(signals);
      const [progress, ask] = [progressOf(context), askOver(server, context, signal)];
      return answer(await parts.call({ principal, name, args, signal, pastResults, ask, progress }));
    } catch (thrown) {
      return refusal(toFailure(thrown));
    }
  });
  return server;
}

/** Tells a connected server's client of every change, until the connection closes. */
export function announceChanges(parts: McpDependencies, server: Server): () => void {
  let told = true;
  return parts.onChange(() => {
    if (!told) return;
    told = false;
    // Many tools change at once; one word about it is enough.
    setImmediate(() => {
      told = true;
      server.sendToolListChanged().catch(() => undefined); // Nobody is listening any more.
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

function answer({ output, data }: { output: string; data?: unknown }): CallToolResult {
  return {
    content: [{ type: "text", text: output }],
    ...(isObject(data) ? { structuredContent: data } : {}),
  };
}

/** A wrong name is the caller's mistake; whatever else went wrong is the call's result, so that its model can read it. */
function refusal(failure: Failure): CallToolResult {
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

/** A question to the person, for clients that say they can put one. */
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

function goneOf({ http }: ServerContext): AbortSignal | undefined {
  const gone = http?.authInfo?.extra?.gone;
  return gone instanceof AbortSignal ? gone : undefined;
}
