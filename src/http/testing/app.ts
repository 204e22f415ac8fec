import { createThrottle } from "../../guard/allowances.ts";
import type { Chat, DirectAnswer, StartedRun } from "../../protocol/chat.ts";
import { contentDelta } from "../../protocol/deltas.ts";
import type { ChatEvent } from "../../protocol/events.ts";
import { Failure, toFailure } from "../../protocol/failure.ts";
import type { Feed } from "../../protocol/journal.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { ChatRequest } from "../../protocol/requests.ts";
import type { EncodedEvent } from "../../protocol/run-records.ts";
import type { Session } from "../../protocol/sessions.ts";
import type { LimitVerdict } from "../../protocol/store.ts";
import { createIdentity } from "../caller.ts";
import type { HttpConfig, HttpDeps } from "../dependencies.ts";
import { createHttpServer, type HttpServer } from "../server.ts";

type Deliver = Parameters<Feed["follow"]> extends [string, ...infer Rest] ? Rest : never;

/** A run that a test writes by hand. Its followers see the emitted events as from the real feed. */
export class ManualRun {
  readonly events: EncodedEvent[] = [];
  readonly userId: string;
  readonly request: ChatRequest;
  readonly started: StartedRun;
  key: string | undefined;
  over = false;
  cancelled = 0;
  /** How often a follower has started. */
  followed = 0;
  /** How many followers it has now. */
  following = 0;
  readonly #wakes = new Set<() => void>();

  constructor(started: StartedRun, userId: string, request: ChatRequest) {
    this.started = started;
    this.userId = userId;
    this.request = request;
    this.emit({ type: "session", ...started, title: "A title" });
  }

  emit(...events: ChatEvent[]): void {
    for (const event of events)
      this.events.push({ seq: this.events.length + 1, json: JSON.stringify(event) });
    this.#wake();
  }

  finish(finishReason: "stop" | "error" | "cancelled" = "stop"): void {
    const { messageId } = this.started;
    this.emit({ type: "done", finishReason, messageId, iterations: 1, toolCalls: 0 });
    this.over = true;
    this.#wake();
  }

  async follow(...[, after, onEvents, signal]: Parameters<Feed["follow"]>): Promise<void> {
    this.followed += 1;
    this.following += 1;
    try {
      await this.#deliver(after, onEvents, signal);
    } finally {
      this.following -= 1;
    }
  }

  async #deliver(...[after, onEvents, signal]: Deliver): Promise<void> {
    for (let seen = after; !signal.aborted; ) {
      // A bounded page at a time, as a store reads them.
      const fresh = this.events.slice(seen, seen + 64);
      if (fresh.length > 0) {
        seen += fresh.length;
        onEvents(fresh);
        await new Promise((resolve) => setImmediate(resolve));
      } else if (this.over) return;
      else await this.#news(signal);
    }
  }

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#wakes.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#wakes.add(wake);
      signal.addEventListener("abort", wake);
    });
  }

  /** How many followers have seen all events so far. */
  get followers(): number {
    return this.#wakes.size;
  }

  #wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }
}

export interface TestApp {
  url: string;
  port: number;
  server: HttpServer;
  runs: ManualRun[];
  sessions: Session[];
  decisions: unknown[];
  toolCalls: { name: string; args: unknown; principal: Principal }[];
  sends: {
    request: ChatRequest;
    idempotencyKey: string | undefined;
    requestId: string | undefined;
    principal: Principal;
  }[];
  taken: Map<string, number>;
  logged: string[];
}

export interface TestAppOptions extends Partial<Omit<HttpDeps, "config">> {
  config?: Partial<HttpConfig>;
  /** Chat requests per caller. */
  limit?: number;
  /** Called with every new run; by default it says "Hello" and ends. */
  play?(run: ManualRun): void;
}

/** A server on a loopback port, with everything behind it in memory. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { config, limit, play = playHello, ...replaced } = options;
  const app = {
    runs: [] as ManualRun[],
    sessions: [] as Session[],
    decisions: [] as unknown[],
    toolCalls: [] as TestApp["toolCalls"],
    sends: [] as TestApp["sends"],
    taken: new Map<string, number>(),
    logged: [] as string[],
  };
  const auth = config?.auth ?? "none";
  const log = (facts: object, message: string) => void app.logged.push(JSON.stringify({ ...facts, message }));
  const runOf = (id: string) => app.runs.find((run) => run.started.runId === id);
  const server = createHttpServer({
    config: { auth, corsOrigins: [], host: "127.0.0.1", port: 0, ...config },
    log: { info: log, warn: log, error: log },
    throttle: createThrottle(),
    identity: createIdentity({ auth, guestSecret: "a secret of thirty-two characters" }),
    limits: {
      takeChat: async ({ id }) => (limit === undefined ? undefined : take(app.taken, id, limit)),
      refundChat: async ({ id }) => void app.taken.set(id, (app.taken.get(id) ?? 1) - 1),
    },
    chatFor: (principal) => memoryChat(app, principal, play),
    feed: { follow: async (id, ...rest) => runOf(id)?.follow(id, ...rest) },
    ownRun: async (principal, id) => {
      const run = runOf(id);
      if (!run) throw new Failure("NOT_FOUND", "There is no such run.");
      if (run.userId !== principal.id) throw new Failure("FORBIDDEN", "This run belongs to somebody else.");
      return { id };
    },
    callTool: async (principal, name, args) => callTool(app, principal, name, args),
    cleanError: toFailure,
    scan: async (text) => ({ flagged: text.includes("attack"), score: 0.5, labels: [] }),
    ready: async () => ({ ok: true, checks: { store: "ok" } }),
    stats: async () => ({ activeRuns: 3 }),
    ...replaced,
  });
  const { url, port } = await server.listen("127.0.0.1", 0);
  return { ...app, url, port, server };
}

function playHello(run: ManualRun): void {
  run.emit(contentDelta("Hel"), contentDelta("lo"));
  run.finish();
}

function take(taken: Map<string, number>, id: string, limit: number): LimitVerdict {
  const before = taken.get(id) ?? 0;
  const allowed = before < limit;
  if (allowed) taken.set(id, before + 1);
  const remaining = Math.max(0, limit - before - 1);
  return { allowed, limit, remaining, resetAt: Date.UTC(2030, 0, 1), retryAfter: allowed ? 0 : 120 };
}

function callTool(
  app: Pick<TestApp, "toolCalls">,
  principal: Principal,
  name: string,
  args: unknown,
): DirectAnswer {
  app.toolCalls.push({ principal, name, args });
  if (name !== "get_time")
    throw new Failure("TOOL_UNKNOWN", `There is no tool ${name}. The tools are: get_time.`);
  return { success: true, toolName: name, output: "noon", latencyMs: 1, retryCount: 0 };
}

type Memory = Pick<TestApp, "runs" | "sessions" | "decisions" | "sends">;

function memoryChat(app: Memory, principal: Principal, play: (run: ManualRun) => void): Chat {
  const own = (id: string): Session => {
    const session = app.sessions.find((candidate) => candidate.id === id);
    if (!session) throw new Failure("NOT_FOUND", "There is no such session.");
    if (session.userId !== principal.id)
      throw new Failure("FORBIDDEN", "This session belongs to somebody else.");
    return session;
  };
  const create = (title = "New chat"): Session => {
    const at = "2030-01-01T00:00:00.000Z";
    const session = {
      id: `s${app.sessions.length + 1}`,
      userId: principal.id,
      title,
      createdAt: at,
      updatedAt: at,
    };
    app.sessions.push(session);
    return session;
  };
  return {
    async send(request, { idempotencyKey, requestId } = {}) {
      const session = request.sessionId ? own(request.sessionId) : create();
      app.sends.push({ request, idempotencyKey, requestId, principal });
      const known = app.runs.find((run) => idempotencyKey !== undefined && run.key === idempotencyKey);
      if (known) return { ...known.started, joined: true };
      const number = app.runs.length + 1;
      const started = {
        runId: `r${number}`,
        sessionId: session.id,
        messageId: `m${number}`,
        model: "demo/demo",
      };
      const run = new ManualRun(started, principal.id, request);
      run.key = idempotencyKey;
      app.runs.push(run);
      play(run);
      return started;
    },
    follow: () => {
      throw new Error("the server follows the feed, not the chat");
    },
    giveFeedback: async () => {},
    tree: async () => [],
    forkSession: async (id) => own(id),
    keepSession: async (id) => own(id),
    deleteAllSessions: async () => 0,
    commands: async () => [],
    async stopCommand() {
      throw new Failure("NOT_FOUND", "There is no such command.");
    },
    tryNow: async () => {},
    async cancel(runId) {
      const run = app.runs.find((candidate) => candidate.started.runId === runId);
      if (!run) return;
      run.cancelled += 1;
      if (!run.over) run.finish("cancelled");
    },
    decide: async (runId, toolCallId, decision) =>
      void app.decisions.push({ runId, toolCallId, ...decision }),
    answer: async () => undefined,
    questions: async () => [],
    steer: async () => ({ messageId: "m" }),
    waitingMessages: async () => [],
    changeMessage: async () => {
      throw new Failure("CONFLICT", "This message is no longer waiting: it took effect or was withdrawn.");
    },
    withdrawMessage: async () => undefined,
    readResult: async () => "the whole result",
    async *feed() {},
    createSession: async (options) => create(options?.title),
    listSessions: async () => app.sessions.filter((session) => session.userId === principal.id),
    getSession: async (id) => own(id),
    renameSession: async (id, title) => Object.assign(own(id), { title }),
    archiveSession: async (id, archived) => Object.assign(own(id), { archived }),
    countArchived: async () => 0,
    search: async () => ({ results: [], complete: true }),
    pinSession: async (id, pinned) => Object.assign(own(id), { pinned }),
    moveSession: async (id, projectId) => Object.assign(own(id), projectId === null ? {} : { projectId }),
    setParameters: async (id, parameters) => Object.assign(own(id), parameters ? { parameters } : {}),
    importSessions: async () => [],
    showMessage: async (id, headId) => Object.assign(own(id), { headId }),
    compact: async () => ({ messages: 0, tokensBefore: 0, tokensAfter: 0, reason: "asked" }),
    async summaries(id) {
      own(id);
      return [];
    },
    async rollbackSession(id) {
      own(id);
      return { undone: [], notUndone: [] };
    },
    deleteSession: async (id) => void app.sessions.splice(app.sessions.indexOf(own(id)), 1),
    async messages(id, options) {
      own(id);
      const message = { id: "m1", role: "user" as const, content: JSON.stringify(options), createdAt: "" };
      return [message];
    },
    exportSession: async (id, format) => (format === "md" ? `# ${own(id).title}\n` : JSON.stringify(own(id))),
    attach: async () => ({ fileId: "file_1", mimeType: "text/plain" }),
    callTool: async (name) => ({ success: true, toolName: name, output: "", latencyMs: 0, retryCount: 0 }),
    workspace: async () => ({ folders: [], instructions: [], skills: [], trusted: true, warnings: [] }),
    trustWorkspace: async () => ({ folders: [], instructions: [], skills: [], trusted: true, warnings: [] }),
    tools: async () => [
      {
        name: "get_time",
        description: "The time.",
        effect: "none",
        parameters: {},
        source: "built-in",
        streaming: false,
      },
    ],
    models: async () => [
      { id: "demo/demo", label: "Demo", default: true, supportsTools: true, supportsImages: false },
    ],
  };
}
