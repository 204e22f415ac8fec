import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { cleanText } from "../../../protocol/clean-text.ts";
import { toFailure } from "../../../protocol/failure.ts";
import { isObject } from "../../../protocol/json.ts";
import type { Tool, ToolOutput, ToolProgress } from "../../../protocol/tool.ts";
import type { ClientContext, OpenCall } from "./open-call.ts";
import type { McpCaller, McpDependencies } from "./server.ts";
import { followsTasks, needsTasks, type Restart } from "./tasks.ts";

const MAX_QUESTION = 4_000;
/** A call that takes longer becomes a task, if the client can follow it. */
const TASK_AFTER_MS = 700;

/** Answers requests about tools. Returns what starts the call of a task again. */
export function addTools(server: Server, parts: McpDependencies, caller: McpCaller): Restart {
  const { principal, openCalls, taskKeeper } = caller;
  const toolNamed = (name: string) => parts.tools(principal).find((one) => one.name === name);

  server.setRequestHandler("tools/list", () => ({ tools: parts.tools(principal).map(listing) }));
  server.setRequestHandler("tools/call", async (request, context) => {
    const { name: tool, arguments: args = {} } = request.params;
    const found = toolNamed(tool);
    const capabilities = capabilitiesOf(server, context);
    const canFollow = caller.modern && followsTasks(capabilities);
    if (caller.modern && found?.task === "required" && !canFollow) throw needsTasks();
    const { id: userId } = principal;
    const { requestId } = requestOf(context);
    try {
      return await openCalls.serve<CallToolResult>(context, {
        userId,
        subject: ["tool", tool, args],
        capabilities,
        signals: signalsOf(context, caller),
        repeatable: found?.retry !== "unsafe",
        run: (open, forTool, id) =>
          callTool(parts, caller, { open, forTool, id, name: tool, args, requestId }),
        later:
          canFollow && found?.task !== "never"
            ? {
                afterMs: TASK_AFTER_MS,
                take: (open, id) => taskKeeper.create({ id, userId, tool, args, capabilities, open }),
              }
            : undefined,
      });
    } catch (thrown) {
      return toErrorResult(thrown);
    }
  });

  return ({ id, state, answers }) => {
    const { tool: name, arguments: args, started } = state;
    const found = toolNamed(name);
    if (!found || (started && found.retry === "unsafe")) return undefined;
    return openCalls.restart(state.capabilities, answers, (open, forTool) =>
      callTool(parts, caller, { open, forTool, id, name, args, requestId: undefined }),
    );
  };
}

interface Call {
  open: OpenCall<CallToolResult>;
  forTool: ClientContext;
  id: string;
  name: string;
  args: Record<string, unknown>;
  requestId: string | undefined;
}

async function callTool(
  parts: McpDependencies,
  { principal, pastResults }: McpCaller,
  { open, forTool, id, name, args, requestId }: Call,
): Promise<CallToolResult> {
  const { askToAllow } = open;
  const ask = askToAllow && ((question: string) => askToAllow(cleanText(question, MAX_QUESTION)));
  const started = () => {
    open.started = true;
  };
  const call = { principal, name, args, requestId, pastResults, ask, forTool, started, callId: id };
  try {
    return toResult(await parts.call({ ...call, signal: open.stop.signal, progress: progressOf(open) }));
  } catch (thrown) {
    // What the client cannot do, and what went wrong here, is not the tool's result.
    if (open.missing || toFailure(thrown).code === "INTERNAL") throw thrown;
    return toErrorResult(thrown);
  }
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
function toErrorResult(thrown: unknown): CallToolResult {
  if (thrown instanceof ProtocolError) throw thrown;
  const { code, status, publicMessage: message, retryAfter } = toFailure(thrown);
  if (code === "TOOL_UNKNOWN") throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  const error = { code, status, message, ...(retryAfter === undefined ? {} : { retryAfter }) };
  return { isError: true, content: [{ type: "text", text: message }], structuredContent: { error } };
}

/** Tells the request that waits for the call how far it is. Without a token for progress, the lines go to the log. */
function progressOf(open: OpenCall<unknown>): (progress: ToolProgress) => void {
  let step = -0.001; // The first may be 0, and each is more than the one before.
  return ({ message, percent }) => {
    const { mcpReq } = open.context ?? {};
    if (!mcpReq) return;
    const progressToken = mcpReq._meta?.progressToken;
    step = Math.max(step + 0.001, percent ?? Math.floor(step) + 1);
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
