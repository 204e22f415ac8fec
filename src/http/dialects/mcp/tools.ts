import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { cleanText } from "../../../protocol/clean-text.ts";
import { type Failure, toFailure } from "../../../protocol/failure.ts";
import { isObject } from "../../../protocol/json.ts";
import type { Tool, ToolOutput, ToolProgress } from "../../../protocol/tool.ts";
import type { ClientContext, OpenCall } from "./open-call.ts";
import type { McpCaller, McpDependencies } from "./server.ts";

const MAX_QUESTION = 4_000;

/** Answers requests about tools. */
export function addTools(server: Server, parts: McpDependencies, caller: McpCaller): void {
  server.setRequestHandler("tools/list", () => ({ tools: parts.tools(caller.principal).map(listing) }));
  server.setRequestHandler("tools/call", async (request, context) => {
    const { name, arguments: args = {} } = request.params;
    return callTool(server, parts, caller, context, name, args);
  });
}

async function callTool(
  server: Server,
  parts: McpDependencies,
  caller: McpCaller,
  context: ServerContext,
  name: string,
  args: Record<string, unknown>,
): Promise<CallToolResult | InputRequiredResult> {
  const { principal, pastResults, openCalls } = caller;
  const tool = parts.tools(principal).find((one) => one.name === name);
  const run = (open: OpenCall<CallToolResult>, forTool: ClientContext) => {
    const { askToAllow } = open;
    const ask = askToAllow && ((question: string) => askToAllow(cleanText(question, MAX_QUESTION)));
    const { signal } = open.stop;
    const { requestId } = requestOf(context);
    const progress = progressOf(open);
    const call = {
      principal,
      name,
      args,
      signal,
      requestId,
      pastResults,
      ask,
      forTool: noting(open, forTool),
      progress,
    };
    return parts.call(call).then(toResult);
  };
  try {
    return await openCalls.serve<CallToolResult>(context, {
      userId: principal.id,
      subject: ["tool", name, args],
      capabilities: capabilitiesOf(server, context),
      signals: signalsOf(context, caller),
      repeatable: tool?.retry !== "unsafe",
      run,
    });
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    return toErrorResult(toFailure(thrown));
  }
}

/** Whatever the tool asks, it has begun by then. */
function noting(open: OpenCall<CallToolResult>, forTool: ClientContext): ClientContext {
  const started = <Given extends unknown[], Value>(method: (...given: Given) => Value) => {
    return (...given: Given): Value => {
      open.started = true;
      return method(...given);
    };
  };
  const { client, ask } = forTool;
  const { capabilities, elicit, sample, roots } = client;
  return {
    ...forTool,
    ask: started(ask),
    client: { capabilities, elicit: started(elicit), sample: started(sample), roots: started(roots) },
  };
}

/** What the client can be asked for: it says so in every request, or once when it connects. */
export function capabilitiesOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities {
  const envelope: Record<string, unknown> | undefined = mcpReq.envelope;
  if (!envelope) return server.getClientCapabilities() ?? {};
  const declared = envelope[CLIENT_CAPABILITIES_META_KEY];
  return isObject(declared) ? declared : {};
}

/** The signals that end a call, besides the one of its request. */
export function signalsOf(context: ServerContext, caller: McpCaller): AbortSignal[] {
  return [requestOf(context).gone, caller.gone].filter((signal) => signal !== undefined);
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

type Output = Pick<ToolOutput, "output" | "data" | "images" | "content">;

function toResult({ output, data, images = [], content }: Output): CallToolResult {
  const shown = images.map(({ mimeType, base64 }) => ({ type: "image" as const, mimeType, data: base64 }));
  const text = output === "" && shown.length > 0 ? [] : [{ type: "text" as const, text: output }];
  const parts = content ?? [...text, ...shown];
  return {
    content: parts as CallToolResult["content"],
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

/** Tells the request that waits for the call how far it is. Without a token for progress, the lines go to the log. */
function progressOf(open: OpenCall<unknown>): (progress: ToolProgress) => void {
  let step = 0;
  return ({ message, percent }) => {
    const { mcpReq } = open.context;
    const progressToken = mcpReq._meta?.progressToken;
    step = Math.max(step + 0.001, percent ?? step + 1);
    const total = percent === undefined ? {} : { total: 100 };
    const told =
      progressToken === undefined
        ? mcpReq.log("info", message)
        : mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress: step, message, ...total },
          });
    told.catch(() => undefined); // The caller is gone.
  };
}

function requestOf({ http }: ServerContext): { gone?: AbortSignal; requestId?: string } {
  const { gone, requestId } = http?.authInfo?.extra ?? {};
  return {
    ...(gone instanceof AbortSignal ? { gone } : {}),
    ...(typeof requestId === "string" ? { requestId } : {}),
  };
}
