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
import { cleanText } from "../../protocol/clean-text.ts";
import { Failure } from "../../protocol/failure.ts";
import type { ToolContext, ToolOutput } from "../../protocol/tool.ts";
import { type ListedTool, listTools } from "./listing.ts";
import { progressTo } from "./progress.ts";
import { callResult, readResult } from "./result.ts";
import { toolName } from "./tool.ts";

const CONNECT_TIMEOUT_MS = 30_000;
/** The guard stops a call long before. */
const CALL_TIMEOUT_MS = 3_600_000;
const CLOSE_TIMEOUT_MS = 5_000;

export interface ConnectionParts {
  server: string;
  transport: Transport;
  version: string;
  /** `initialize` is the handshake that every server knows so far; `discover` the one that replaces it. */
  handshake: "initialize" | "discover";
  onTools(tools: ListedTool[]): Promise<void> | void;
  onProblem(line: string): void;
  /** The server is gone, without having been asked to go. */
  onLost(why: string): void;
}

/** One connection to one server, from the handshake to the end. */
export interface Connection {
  call(listed: ListedTool, args: Record<string, unknown>, context: ToolContext): Promise<ToolOutput>;
  close(): Promise<void>;
}

/** The server does not know the session any more, and so has not made the call. */
export class SessionGone extends Error {}

/** Connects, lists the tools once, and again whenever the server says that they changed. */
export async function connect(parts: ConnectionParts): Promise<Connection> {
  const { server, transport, onTools, onProblem, onLost } = parts;
  let open = true;
  let listing = Promise.resolve();
  let listingWaits = false;
  // Servers may not ask us for completions, answers of the person or folders: none of that is declared.
  const client = new Client(
    { name: "tackle", version: parts.version },
    {
      capabilities: {},
      versionNegotiation: { mode: parts.handshake === "discover" ? "auto" : "legacy" },
      listChanged: { tools: { autoRefresh: false, onChanged: listAgain } },
    },
  );
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

  /** One list at a time; what changes meanwhile asks for one more. */
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
    const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref());
    await Promise.race([client.close().catch(() => undefined), late]); // It is gone either way.
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
      }
    },
    close,
  };
}

/** The failure of a call in words of ours, the server's own only where they help the model to correct itself. */
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
      `The MCP server "${server}" has to be authorised again: whoever runs this server finds the address in its log.`,
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

/** True where the connection is of no use any more. */
function isLost(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.status === 401 || (error.status ?? 500) >= 500;
  if (error instanceof SdkError) return error.code !== SdkErrorCode.InvalidResult;
  return !(error instanceof ProtocolError);
}

/** What went wrong with a server, as its operator reads it. */
export function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return cleanText(`${message}${cause}`, 500).replace(/\s+/g, " ");
}
