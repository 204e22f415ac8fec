import type { Transport } from "@modelcontextprotocol/client";
import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { settlesWithin } from "../../protocol/abortable.ts";
import { cleanText } from "../../protocol/clean-text.ts";
import { Failure } from "../../protocol/failure.ts";
import type { ToolContext, ToolOutput } from "../../protocol/tool.ts";
import { elicit } from "./elicitation.ts";
import { type ListedTool, listTools } from "./listing.ts";
import { progressTo } from "./progress.ts";
import { callResult, readResult } from "./result.ts";
import { toolName } from "./tool.ts";

const CONNECT_TIMEOUT_MS = 30_000;
/** The guard stops calls much earlier, unless a person is asked, who may take a day. */
const CALL_TIMEOUT_MS = 25 * 3_600_000;
const CLOSE_TIMEOUT_MS = 5_000;

export interface ConnectionParts {
  server: string;
  transport: Transport;
  version: string;
  /** `initialize` is the handshake of all current servers. `discover` will replace it. */
  handshake: "initialize" | "discover";
  onTools(tools: ListedTool[]): Promise<void> | void;
  onProblem(line: string): void;
  /** Called when the connection is lost. */
  onLost(why: string): void;
}

/** One connection to one server, from the handshake to the end. */
export interface Connection {
  call(listed: ListedTool, args: Record<string, unknown>, context: ToolContext): Promise<ToolOutput>;
  close(): Promise<void>;
}

/** Thrown when the server has lost the session. The call has not been made. */
export class SessionGone extends Error {}

/** Connects and lists the tools, now and whenever the server reports a change. */
export async function connect(parts: ConnectionParts): Promise<Connection> {
  const { server, transport, onTools, onProblem, onLost } = parts;
  let open = true;
  let listing = Promise.resolve();
  let listingWaits = false;
  const calls = new Set<ToolContext>();
  // Servers may ask the person during a call, but not for completions or folders.
  const client = new Client(
    { name: "tackle", version: parts.version },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: parts.handshake === "discover" ? "auto" : "legacy" },
      listChanged: { tools: { autoRefresh: false, onChanged: listAgain } },
    },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    // Nothing says which call a question belongs to. It is asked where that is clear.
    const [context, ...others] = calls;
    const isClear = context && others.every(({ runId }) => runId !== undefined && runId === context.runId);
    return isClear ? elicit(server, params, context) : { action: "cancel" };
  });
  let trouble = "";
  client.onerror = (error) => {
    trouble = error.message;
  };
  client.onclose = () => {
    if (!open) return;
    open = false;
    onLost(trouble);
  };

  async function list(): Promise<void> {
    await onTools(await listTools(client, onProblem));
  }

  /** Lists one at a time. A change meanwhile requests one more list. */
  function listAgain(): void {
    if (listingWaits) return;
    listingWaits = true;
    listing = listing.then(async () => {
      listingWaits = false;
      if (!open) return;
      await list().catch((error: unknown) =>
        onProblem(`its tools could not be listed again (${describe(error)})`),
      );
    });
  }

  async function close(): Promise<void> {
    open = false;
    await settlesWithin(client.close(), CLOSE_TIMEOUT_MS);
  }

  try {
    await client.connect(transport, { timeout: CONNECT_TIMEOUT_MS });
    await list();
  } catch (error) {
    await close();
    throw error;
  }

  return {
    async call(listed, args, context) {
      calls.add(context);
      try {
        const result = await client.request(
          { method: "tools/call", params: { name: listed.name, arguments: args } },
          callResult,
          {
            signal: context.signal,
            timeout: CALL_TIMEOUT_MS,
            onprogress: progressTo(context),
          },
        );
        return readResult(toolName(server, listed.name), result);
      } catch (error) {
        if (error instanceof Failure || context.signal.aborted) throw error;
        const failure = callFailure(server, listed.name, error);
        if (error instanceof SdkHttpError && error.status === 404) throw new SessionGone();
        if (isLost(error) && open) {
          open = false;
          onLost(describe(error));
        }
        throw failure;
      } finally {
        calls.delete(context);
      }
    },
    close,
  };
}

/** Explains a failed call. The server's own words are included where they help the model to correct itself. */
function callFailure(server: string, tool: string, error: unknown): Failure {
  if (error instanceof ProtocolError) {
    const words = cleanText(error.message, 1_000);
    const options = { untrusted: true, cause: error };
    return error.code === ProtocolErrorCode.InvalidParams
      ? new Failure("TOOL_INVALID_ARGUMENTS", `${toolName(server, tool)} refuses the call: ${words}`, options)
      : new Failure("TOOL_FAILED", `${toolName(server, tool)} failed: ${words}`, options);
  }
  if (error instanceof UnauthorizedError)
    return new Failure(
      "UPSTREAM_ERROR",
      `The MCP server "${server}" has to be authorized again: whoever runs this server finds the address in its log.`,
      { cause: error, retryable: false },
    );
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
    return new Failure("UPSTREAM_ERROR", `The answer of the MCP server "${server}" is not valid.`, {
      cause: error,
      retryable: false,
    });
  return new Failure(
    "UPSTREAM_ERROR",
    `The connection to the MCP server "${server}" broke off during the call, so it is not known whether it took effect. It is being started again.`,
    { cause: error, retryable: false },
  );
}

/** Whether an error means that the connection is lost. */
function isLost(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === 401 || (error.status ?? 500) >= 500;
  if (error instanceof SdkError) return error.code !== SdkErrorCode.InvalidResult;
  return !(error instanceof ProtocolError);
}

/** Describes an error for the operator. */
export function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return cleanText(`${message}${cause}`, 500).replace(/\s+/g, " ");
}
