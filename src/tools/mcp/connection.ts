import type { Transport } from "@modelcontextprotocol/client";
import { Client, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { z } from "zod";
import { settlesWithin } from "../../protocol/abortable.ts";
import { Failure } from "../../protocol/failure.ts";
import type { ToolContext, ToolOutput } from "../../protocol/tool.ts";
import { readResources } from "./apps.ts";
import { callFailure, describe, isLost, needsPerson } from "./call-failures.ts";
import { elicit } from "./elicitation.ts";
import { type ListedTool, listTools } from "./listing.ts";
import { offeredTools, readOffer } from "./offers.ts";
import { headerParameters, parameterHeaders } from "./parameter-headers.ts";
import { progressTo } from "./progress.ts";
import { callResult, readResult } from "./result.ts";
import { sample } from "./sampling.ts";
import { answerServer, CLIENT_CAPABILITIES, rootsOf } from "./server-requests.ts";
import { toolName } from "./tool.ts";

const CONNECT_TIMEOUT_MS = 30_000;
/** The guard stops calls much earlier, unless a person is asked, who may take a day. */
const CALL_TIMEOUT_MS = 25 * 3_600_000;
const CLOSE_TIMEOUT_MS = 5_000;
const READ_TIMEOUT_MS = 30_000;
/** How often a server may ask back in one call. */
const MAX_ROUNDS = 10;

const anyResult = z.looseObject({ resultType: z.string().optional() });
const inputRequired = z.looseObject({
  inputRequests: z
    .record(z.string(), z.looseObject({ method: z.string(), params: z.unknown().optional() }))
    .default({}),
  requestState: z.string().optional(),
});

export type Handshake = "auto" | "legacy";

export interface ConnectionParts {
  server: string;
  transport: Transport;
  version: string;
  /** `auto` speaks the newest revision that the server has. `legacy` is the handshake from before 2026. */
  handshake: Handshake;
  /** How long the server may take to say that it has the newest revision. */
  probeMs?: number;
  /** Where the person of this connection authorizes us. */
  authorizeUrl?: string;
  onTools(tools: ListedTool[]): Promise<void> | void;
  onProblem(line: string): void;
  /** Called when the connection is lost. */
  onLost(why: string): void;
  /** Called when a call needs an authorization that only a person can give. */
  onUnauthorized(): void;
}

/** One connection to one server, from the handshake to the end. */
export interface Connection {
  call(listed: ListedTool, args: Record<string, unknown>, context: ToolContext): Promise<ToolOutput>;
  readResource(uri: string, signal: AbortSignal): Promise<z.output<typeof readResources>>;
  close(): Promise<void>;
}

/** Thrown when the server has lost the session. The call has not been made. */
export class SessionGone extends Error {}

/** Connects and lists the tools, now and whenever the server reports a change. */
export async function connect(parts: ConnectionParts): Promise<Connection> {
  const { server, transport, onTools, onProblem, onLost, onUnauthorized } = parts;
  const { probeMs = CONNECT_TIMEOUT_MS } = parts;
  let open = true;
  let listing = Promise.resolve();
  let listingWaits = false;
  const calls = new Set<ToolContext>();
  const listed = { autoRefresh: false, onChanged: listAgain };
  const client = new Client(
    { name: "tackle", version: parts.version },
    {
      capabilities: CLIENT_CAPABILITIES,
      versionNegotiation: { mode: parts.handshake, probe: { timeoutMs: probeMs } },
      listChanged: { tools: listed, prompts: listed },
    },
  );
  // Until 2026, nothing says which call a question belongs to. It is asked where that is clear.
  const clearCall = () => {
    const [context, ...others] = calls;
    return others.every(({ runId }) => runId !== undefined && runId === context?.runId) ? context : undefined;
  };
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    const context = clearCall();
    return context ? elicit(server, params, context) : { action: "cancel" };
  });
  client.setRequestHandler("sampling/createMessage", ({ params }) => sample(server, params, clearCall()));
  client.setRequestHandler("roots/list", () => rootsOf(clearCall()));
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
    // Servers from before 2025 do not always say that they have tools.
    const capabilities = client.getServerCapabilities() ?? {};
    const hasOnlyOthers = !capabilities.tools && (capabilities.prompts || capabilities.resources);
    const tools = hasOnlyOthers ? [] : await listTools(client, onProblem);
    await onTools([...tools, ...(await offeredTools(client, tools))]);
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

  /** Sends a request that may take several rounds, because the server wants to know more first. */
  async function ask(method: string, params: Record<string, unknown>, context: ToolContext, headers = {}) {
    let extra: Record<string, unknown> = {};
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const answer = await client.request({ method, params: { ...params, ...extra } }, anyResult, {
        signal: context.signal,
        timeout: CALL_TIMEOUT_MS,
        onprogress: progressTo(context),
        headers,
        allowInputRequired: true,
      });
      if (answer.resultType !== "input_required") return answer;
      const { inputRequests, requestState } = inputRequired.parse(answer);
      const inputResponses: Record<string, unknown> = {};
      for (const [key, request] of Object.entries(inputRequests))
        inputResponses[key] = await answerServer(server, request, context);
      extra = { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
    }
    throw new Failure("UPSTREAM_ERROR", `The MCP server "${server}" goes on asking questions.`, {
      retryable: false,
    });
  }

  return {
    async call(listed, args, context) {
      calls.add(context);
      try {
        const { offer } = listed;
        if (offer) {
          const about = { offer, toolName: toolName(server, listed.name) };
          return await readOffer(client, about, args, (method, params) => ask(method, params, context));
        }
        const declared = client.getProtocolEra() === "modern" ? headerParameters(listed.schema) : [];
        const headers = Array.isArray(declared) ? parameterHeaders(declared, args) : {};
        const answer = await ask("tools/call", { name: listed.name, arguments: args }, context, headers);
        return readResult(toolName(server, listed.name), callResult.parse(answer));
      } catch (thrown) {
        if (thrown instanceof Failure || context.signal.aborted) throw thrown;
        const isInvalid = thrown instanceof z.ZodError;
        const error = isInvalid ? new SdkError(SdkErrorCode.InvalidResult, thrown.message) : thrown;
        const failure = callFailure(server, listed.name, parts.authorizeUrl, error);
        if (error instanceof SdkHttpError && error.status === 404) throw new SessionGone();
        if (needsPerson(error)) onUnauthorized();
        else if (isLost(error) && open) {
          open = false;
          onLost(describe(error));
        }
        throw failure;
      } finally {
        calls.delete(context);
      }
    },
    readResource: (uri, signal) =>
      client.request({ method: "resources/read", params: { uri } }, readResources, {
        signal,
        timeout: READ_TIMEOUT_MS,
      }),
    close,
  };
}
