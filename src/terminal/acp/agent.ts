import { isAbsolute } from "node:path";
import {
  type AgentApp,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type InitializeResponse,
  type McpServer,
  PROTOCOL_VERSION,
  RequestError,
  type SessionInfo,
} from "@agentclientprotocol/sdk";
import { Failure } from "../../protocol/failure.ts";
import { AcpSession } from "./session.ts";
import type { AcpHost, Workspace, WorkspaceOptions } from "./workspace.ts";

const NOT_FOUND = -32002;
const PAGE = 50;

interface Asked {
  cwd: string;
  additionalDirectories?: string[];
  mcpServers?: McpServer[];
}

/** Returns the agent that editors talk to, and a function that closes everything it opened. */
export function createAcpAgent(host: AcpHost): { app: AgentApp; close(): Promise<void> } {
  const sessions = new Map<string, AcpSession>();
  const workspaces = new Map<string, Promise<Workspace>>();
  const cwds = new Set<string>();
  let can: ClientCapabilities = {};

  function open(asked: Asked): Promise<Workspace> {
    const { cwd, additionalDirectories: folders = [], mcpServers = [] } = asked;
    if (![cwd, ...folders].every(isAbsolute))
      throw RequestError.invalidParams(undefined, "Folders must be absolute paths.");
    const options: WorkspaceOptions = { cwd, folders, mcpServers };
    const key = JSON.stringify(options);
    const opened = workspaces.get(key) ?? host.open(options);
    workspaces.set(key, opened);
    cwds.add(cwd);
    opened.catch(() => workspaces.delete(key));
    return opened;
  }

  /** A workspace for what concerns no folder. */
  async function anyWorkspace(): Promise<Workspace> {
    const [first] = workspaces.values();
    return first ?? open({ cwd: process.cwd() });
  }

  function sessionOf(id: string): AcpSession {
    const session = sessions.get(id);
    if (!session) throw new RequestError(NOT_FOUND, "There is no such session. Create or load it first.");
    return session;
  }

  async function attach(id: string, asked: Asked, client: AgentContext): Promise<AcpSession> {
    const workspace = await open(asked);
    await workspace.chat.getSession(id);
    const { cwd } = asked;
    const session = new AcpSession({ id, cwd, workspace, client, can, onProblem: host.onProblem });
    sessions.set(id, session);
    // After the answer, because the editor learns of the session from it.
    setImmediate(() => void session.announceCommands().catch(host.onProblem));
    return session;
  }

  /** Attaches the editor to a session and shows what happened in it. */
  function enter(
    asked: Asked & { sessionId: string },
    client: AgentContext,
    show: (session: AcpSession, answered: Promise<void>) => Promise<void>,
  ) {
    return answering(async () => {
      const session = await attach(asked.sessionId, asked, client);
      const answered = Promise.withResolvers<void>();
      await show(session, answered.promise);
      // What the active run still says must not come before this answer.
      setImmediate(answered.resolve);
      return { configOptions: await session.configOptions() };
    });
  }

  const app = agent({ name: "tackle" })
    .onRequest("initialize", ({ params }) => {
      can = params.clientCapabilities ?? {};
      return capabilities(host.version);
    })
    .onRequest("authenticate", () => ({}))
    .onRequest("session/new", ({ params, client }) =>
      answering(async () => {
        const { chat } = await open(params);
        const { id } = await chat.createSession({ folder: params.cwd });
        const session = await attach(id, params, client);
        return { sessionId: id, configOptions: await session.configOptions() };
      }),
    )
    .onRequest("session/load", ({ params, client }) =>
      enter(params, client, (session, answered) => session.replay(answered)),
    )
    .onRequest("session/resume", ({ params, client }) =>
      enter(params, client, (session, answered) => session.takeUp(answered)),
    )
    .onRequest("session/list", ({ params }) => answering(() => list(params.cwd ?? undefined, params.cursor)))
    .onRequest("session/delete", ({ params }) =>
      answering(async () => {
        await sessions.get(params.sessionId)?.cancel();
        sessions.delete(params.sessionId);
        const { chat } = await anyWorkspace();
        await chat.deleteSession(params.sessionId).catch(unlessMissing);
        return {};
      }),
    )
    .onRequest("session/close", ({ params }) =>
      answering(async () => {
        await sessions.get(params.sessionId)?.cancel();
        sessions.delete(params.sessionId);
        return {};
      }),
    )
    .onRequest("session/set_config_option", ({ params }) =>
      answering(async () => {
        const session = sessionOf(params.sessionId);
        await session.configure(params.configId, "value" in params ? params.value : undefined);
        return { configOptions: await session.configOptions() };
      }),
    )
    .onRequest("session/prompt", ({ params }) => answering(() => sessionOf(params.sessionId).prompt(params)))
    .onNotification("session/cancel", async ({ params }) => {
      await sessions.get(params.sessionId)?.cancel().catch(host.onProblem);
    });

  /** The sessions of a folder, or of all folders that this editor has opened. */
  async function list(cwd: string | undefined, cursor: string | null | undefined) {
    const { chat } = await anyWorkspace();
    const folders = cwd === undefined ? new Set([...cwds, process.cwd()]) : [cwd];
    const before = cursor ? { before: cursor } : {};
    const found: SessionInfo[] = [];
    for (const folder of folders)
      for (const { id, title, updatedAt } of await chat.listSessions({ limit: PAGE, folder, ...before }))
        found.push({ sessionId: id, cwd: folder, title, updatedAt });
    const page = found.sort((a, b) => (String(a.updatedAt) < String(b.updatedAt) ? 1 : -1)).slice(0, PAGE);
    const last = page.length === PAGE ? page.at(-1) : undefined;
    return { sessions: page, ...(last ? { nextCursor: last.updatedAt } : {}) };
  }

  return {
    app,
    async close() {
      const opened = await Promise.allSettled(workspaces.values());
      await Promise.allSettled(
        opened.map((one) => (one.status === "fulfilled" ? one.value.close() : undefined)),
      );
    },
  };
}

function capabilities(version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "tackle", title: "Tackle", version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false },
      sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} },
    },
    authMethods: [],
  };
}

/** Answers a failure of ours with its own sentence, in one line and without a stack. */
async function answering<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    const data = { code: thrown.code, retryable: thrown.retryable };
    if (thrown.code === "NOT_FOUND" || thrown.code === "FORBIDDEN")
      throw new RequestError(NOT_FOUND, thrown.publicMessage, data);
    if (thrown.code === "INVALID_INPUT") throw RequestError.invalidParams(data, thrown.publicMessage);
    throw new RequestError(-32603, thrown.publicMessage, data);
  }
}

function unlessMissing(thrown: unknown): void {
  if (!(thrown instanceof Failure) || thrown.code !== "NOT_FOUND") throw thrown;
}
