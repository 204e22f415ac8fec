import { randomBytes } from "node:crypto";
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { PastResults } from "../../../protocol/past-results.ts";
import type { Principal } from "../../../protocol/principal.ts";
import { createOpenCalls } from "./open-calls.ts";
import { createRecentEvents } from "./recent-events.ts";
import { announceOnce, createMcpServer, type McpDependencies } from "./server.ts";
import { createSseEndpoint } from "./sse-endpoint.ts";
import { SSE_PATH } from "./sse-transport.ts";
import { createTaskKeeper } from "./tasks.ts";

const MAX_SESSIONS = 1_000;
const MAX_SESSIONS_OF_ONE = 50;
const MAX_REMEMBERED_USERS = 1_000;
const IDLE_MS = 3_600_000;
/** After how long a client whose connection broke comes back. */
const RETRY_MS = 1_000;

export interface HttpCaller {
  principal: Principal;
  /** Aborts when the connection is closed. */
  gone: AbortSignal;
  requestId: string;
  /** The parsed body. */
  body?: unknown;
}

/** Handles MCP requests of authenticated callers. */
export interface McpHttpServer {
  handle(request: Request, caller: HttpCaller): Promise<Response>;
  close(): Promise<void>;
}

interface Session {
  id: string;
  userId: string;
  server: McpServer;
  transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
}

/**
 * Serves MCP over HTTP. Each session belongs to one caller, has its own server and transport, and does not exist for anyone
 * else. Each request without a session gets its own server.
 */
export function createMcpHttpServer(parts: McpDependencies): McpHttpServer {
  const sessions = new Map<string, Session>();
  const resultsByUser = new Map<string, PastResults>();
  const openCalls = createOpenCalls(parts.stateKey, parts.hide);
  const taskKeeper = createTaskKeeper(parts);

  const sessionless = createMcpHandler(({ authInfo, era }) => {
    const principal = authInfo?.extra?.principal as Principal | undefined;
    if (!principal) throw new Error("a request without a caller");
    const pastResults = pastResultsOf(principal);
    return createMcpServer(parts, { principal, pastResults, openCalls, taskKeeper, modern: era === "modern" })
      .server;
  });
  const stopPublishing = announceOnce(parts, (change) => {
    const { notify } = sessionless;
    if (typeof change !== "string") return notify.resourceUpdated(change.uri);
    if (change === "tools") return notify.toolsChanged();
    return change === "prompts" ? notify.promptsChanged() : notify.resourcesChanged();
  });

  const serverOf = (principal: Principal) => {
    const pastResults = new PastResults();
    return createMcpServer(parts, { principal, pastResults, openCalls, taskKeeper, modern: false });
  };
  const sse = createSseEndpoint(serverOf, (caller) => optionsOf(caller, true));

  async function openSession(request: Request, caller: HttpCaller): Promise<Response> {
    makeRoom(caller.principal.id);
    const { principal } = caller;
    const { server, announceChanges } = serverOf(principal);
    const transport = new WebStandardStreamableHTTPServerTransport({
      eventStore: createRecentEvents(),
      retryInterval: RETRY_MS,
      sessionIdGenerator: () => randomBytes(24).toString("base64url"),
      onsessioninitialized: (id) => {
        sessions.set(id, { id, userId: principal.id, server, transport, usedAt: Date.now() });
      },
    });
    const stopAnnouncing = announceChanges();
    server.server.onclose = () => {
      stopAnnouncing();
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
    };
    await server.connect(transport);
    return transport.handleRequest(request, optionsOf(caller, true));
  }

  function makeRoom(userId: string): void {
    const oldestFirst = [...sessions.values()].sort((left, right) => left.usedAt - right.usedAt);
    const own = oldestFirst.filter((session) => session.userId === userId);
    const idle = oldestFirst.filter(({ usedAt }) => Date.now() - usedAt > IDLE_MS);
    // A stranger can become as many guests as they like, so those make room first.
    const guestsFirst = oldestFirst.toSorted((left, right) => rank(left) - rank(right));
    const tooMany = [
      ...own.slice(0, Math.max(0, own.length - MAX_SESSIONS_OF_ONE + 1)),
      ...guestsFirst.slice(0, Math.max(0, guestsFirst.length - MAX_SESSIONS + 1)),
    ];
    for (const session of new Set([...idle, ...tooMany])) end(session);
  }

  function rank({ userId }: Session): number {
    return userId.startsWith("guest_") ? 0 : 1;
  }

  function end({ id, server }: Session): void {
    sessions.delete(id);
    server.close().catch(() => undefined); // Its streams are already closed.
  }

  function pastResultsOf({ id }: Principal): PastResults {
    const pastResults = resultsByUser.get(id) ?? new PastResults();
    resultsByUser.delete(id);
    resultsByUser.set(id, pastResults);
    const [oldest] = resultsByUser.keys();
    if (resultsByUser.size > MAX_REMEMBERED_USERS && oldest !== undefined) resultsByUser.delete(oldest);
    return pastResults;
  }

  return {
    async handle(request, caller) {
      if (new URL(request.url).pathname.endsWith(SSE_PATH))
        return request.method === "GET" ? sse.open(caller) : sse.receive(request, caller);
      const legacy = await isLegacyRequest(request, caller.body);
      const id = request.headers.get("mcp-session-id");
      if (legacy && id !== null) {
        const session = sessions.get(id);
        if (!session || session.userId !== caller.principal.id) return noSession();
        session.usedAt = Date.now();
        return session.transport.handleRequest(request, optionsOf(caller, true));
      }
      if (legacy && isInitializeRequest(caller.body)) return openSession(request, caller);
      return sessionless.fetch(request, optionsOf(caller));
    },
    async close() {
      for (const session of [...sessions.values()]) end(session);
      await sse.close();
      stopPublishing();
      await taskKeeper.close();
      openCalls.close();
      await sessionless.close();
    },
  };
}

/** Passes the caller on with each request. A call ends with its connection, unless the client can come back to it. */
function optionsOf({ body, gone, requestId, principal }: HttpCaller, resumes = false) {
  const extra = { requestId, principal, ...(resumes ? {} : { gone }) };
  const authInfo = { token: "", clientId: principal.id, scopes: [], extra };
  return { authInfo, ...(body === undefined ? {} : { parsedBody: body }) };
}

function noSession(): Response {
  const error = { code: -32_001, message: "There is no such session. Start a new one." };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status: 404 });
}
