import { setTimeout as pause } from "node:timers/promises";
import { runTurn, type TurnOutcome } from "../loop/run.ts";
import type { Turn } from "../loop/turn.ts";
import { traceTurn } from "../observe/trace/traced-turn.ts";
import type { Tracer } from "../observe/trace/tracer.ts";
import type { StartedRun } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import type { Journal, RunLog } from "../protocol/journal.ts";
import type { Json } from "../protocol/json.ts";
import type { ErrorEntry } from "../protocol/ledger.ts";
import { type Message, textMessage, textOf } from "../protocol/messages.ts";
import type { Principal } from "../protocol/principal.ts";
import { callsOf } from "../protocol/reduce.ts";
import { readEvents } from "../protocol/run-events.ts";
import type { RunFact } from "../protocol/statistics.ts";
import { Fenced, RELEASED_RUNS, type Run, type Store } from "../protocol/store.ts";
import { parseTraceparent } from "../protocol/trace-context.ts";
import type { TurnRequest } from "../protocol/turns.ts";
import { attachmentParts } from "./attachments.ts";
import { type BranchPoint, branchPoint } from "./branch-point.ts";
import { hashOf, newId } from "./ids.ts";
import { chooseTools, prepareTurn, type Remains, type RunRequest, type TurnParts } from "./prepare-turn.ts";
import { createWaitMeter, type WaitMeter } from "./wait-meter.ts";

export interface RunnerParts extends TurnParts {
  journal: Journal;
  note(fact: RunFact): void;
  noteError(error: ErrorEntry): void;
  /** Takes the turn in the loop's place, and has to hand it on; see `recordings/record.ts`. */
  record?(turn: Turn, run: (turn: Turn) => Promise<TurnOutcome>): Promise<TurnOutcome>;
  /** Spans of what is done, where somebody collects them. */
  tracer?: Tracer;
  log: { warn(facts: object, message: string): void; error(facts: object, message: string): void };
}

export interface StartOptions {
  idempotencyKey?: string;
  /** What has to be the same for the key to join, where that is not the request as we took it. */
  body?: unknown;
  requestId?: string;
  traceparent?: string;
}

/** What this process does for one run. */
interface Work {
  abort: AbortController;
  ended: Promise<void>;
  /** True while nothing happens in it until a person decides. */
  waiting(): boolean;
}

const TITLE_LENGTH = 60;
/** How often a server that stops looks whether all that is left waits for a person. */
const LOOK_MS = 50;

/** Opens runs and works on them, from the request to the transcript, also when another process began. */
export class Runner {
  private readonly parts: RunnerParts;
  private readonly owner: string;
  private readonly leaseMs: number;
  private readonly active = new Map<string, Work>();
  private readonly heartbeat: NodeJS.Timeout;
  private readonly stopWatching: () => void;
  private tending: Promise<void> = Promise.resolve();
  private draining = false;
  private closing = false;

  constructor(parts: RunnerParts, owner: string) {
    this.parts = parts;
    this.owner = owner;
    this.leaseMs = parts.config.leaseMs;
    // Often enough that a dead owner's runs are taken up within one and a half leases.
    const tend = () => {
      this.tending = this.tend();
    };
    this.heartbeat = setInterval(tend, this.leaseMs / 4);
    this.heartbeat.unref();
    this.stopWatching = parts.store.watch(RELEASED_RUNS, tend);
  }

  /** How many runs this process works on. */
  get activeRuns(): number {
    return this.active.size;
  }

  /** Writes the turn down and begins to work on it. Resolves before the model is called. */
  async start(principal: Principal, request: TurnRequest, options: StartOptions = {}): Promise<StartedRun> {
    if (this.draining)
      throw new Failure("RESOURCE_EXHAUSTED", "The server is shutting down. Try again in a moment.", {
        retryable: true,
        retryAfter: 5,
      });
    const { store, models } = this.parts;
    const model = models.resolve(request.model, await this.parts.keysOf(principal.id));
    chooseTools(this.parts.registry, request);
    const { existing, title } = await this.sessionFor(principal, request);
    const point: BranchPoint = existing === undefined ? {} : await branchPoint(store, existing, request);
    const said = await this.said(principal, request);
    const sessionId = existing ?? newId("ses");
    const runId = newId("run");
    const messageId = newId("msg");
    const stored: RunRequest = {
      request,
      principal,
      model: model.id,
      requestId: options.requestId ?? newId("req"),
      ...(parseTraceparent(options.traceparent) ? { traceparent: options.traceparent } : {}),
    };
    const parentId = said?.id ?? point.parentId ?? undefined;
    const firstEvent = {
      type: "session" as const,
      sessionId,
      runId,
      messageId,
      model: model.id,
      title,
      ...(parentId === undefined ? {} : { parentId }),
      ...(point.siblings ? { siblings: [...point.siblings, messageId] } : {}),
    };
    const opened = await store.openRun({
      runId,
      sessionId,
      userId: principal.id,
      ...(principal.key ? { keyId: principal.key.id } : {}),
      messageId,
      owner: this.owner,
      leaseMs: this.leaseMs,
      request: stored as unknown as Json,
      ...(existing === undefined ? { newSession: { title } } : {}),
      ...(said ? { userMessage: said } : {}),
      ...(point.parentId === undefined ? {} : { parentId: point.parentId }),
      ...(options.idempotencyKey
        ? { idempotency: { key: options.idempotencyKey, bodyHash: hashOf(options.body ?? request) } }
        : {}),
      firstEvent,
    });
    if (opened.outcome === "key_reused") {
      throw new Failure(
        "CONFLICT",
        "This Idempotency-Key was used with another body. Use a new key for a new request.",
      );
    }
    if (opened.outcome === "busy") {
      throw new Failure(
        "CONFLICT",
        "An answer is still being written in this session. Stop it or wait for its end.",
        {
          details: { runId: opened.runId },
        },
      );
    }
    const { run } = opened;
    const joined = opened.outcome === "joined";
    if (!joined) this.work(run, { events: [{ seq: 1, event: firstEvent }], steps: [] });
    const { model: usedModel } = run.request as unknown as RunRequest;
    return { runId: run.id, sessionId: run.sessionId, messageId: run.messageId, model: usedModel, joined };
  }

  /** Stops a run here or, by the store, wherever it is worked on. */
  async cancel(runId: string): Promise<void> {
    await this.parts.store.requestCancel(runId);
    this.active.get(runId)?.abort.abort();
  }

  /** Goes on with the runs that a dead process left behind. */
  async recover(): Promise<void> {
    const runs = await this.parts.store.claimRuns(this.owner, this.leaseMs, 100);
    for (const run of runs) {
      // It may come back to where it was lost before that was noticed.
      const former = this.active.get(run.id);
      former?.abort.abort();
      await former?.ended;
      const events = await readEvents(this.parts.store, run.id);
      const steps = await this.parts.store.readSteps(run.id);
      this.parts.note({ type: "takeover" });
      this.work(run, { events, steps });
    }
  }

  /** Takes nothing new, and gives what is under way some time to end. A run that waits for a person is not waited for. */
  async drain(graceMs: number): Promise<void> {
    this.draining = true;
    const over = new AbortController();
    const grace = pause(graceMs, undefined, { ref: false, signal: over.signal }).catch(() => undefined); // Not needed.
    const busy = () => [...this.active.values()].filter(({ waiting }) => !waiting());
    const allEnded = async () => {
      while (busy().length > 0 && !over.signal.aborted)
        await Promise.race([...busy().map(({ ended }) => ended), pause(LOOK_MS, undefined, { ref: false })]);
    };
    await Promise.race([allEnded(), grace]);
    over.abort();
  }

  /** Lets go of what is left: whoever comes next takes it up. Does nothing the second time. */
  async close(): Promise<void> {
    if (this.closing) return;
    this.draining = true;
    this.closing = true;
    clearInterval(this.heartbeat);
    this.stopWatching();
    // A lease that is just being renewed would be so after its release.
    await this.tending;
    await this.parts.journal.close();
    for (const { abort } of this.active.values()) abort.abort();
    await this.parts.store.releaseLeases(this.owner);
  }

  /** Ends a run whose journal cannot be written any more. */
  abandon(runId: string): void {
    this.active.get(runId)?.abort.abort();
  }

  /** Keeps what is worked on, hears of cancels from elsewhere, and takes up what others dropped. */
  private async tend(): Promise<void> {
    try {
      const active = [...this.active.keys()];
      const { cancelled, lost } = await this.parts.store.renewLeases(this.owner, this.leaseMs, active);
      for (const runId of [...cancelled, ...lost]) this.active.get(runId)?.abort.abort();
      if (!this.draining) await this.recover();
    } catch (thrown) {
      this.parts.log.warn({ err: thrown }, "runs could not be tended");
    }
  }

  private work(run: Run, remains: Remains): void {
    const abort = new AbortController();
    if (run.cancelRequested) abort.abort();
    const log = this.parts.journal.open(run, {
      ...remains,
      events: remains.events.map(({ event }) => event),
    });
    const waits = createWaitMeter();
    const outcome = this.turn(run, log, remains, abort.signal, waits);
    const ended = this.finish(run, log, outcome, waits).catch((thrown: unknown) => {
      if (!(thrown instanceof Fenced) && !this.closing)
        this.parts.log.error({ err: thrown, runId: run.id }, "a run could not be finished");
    });
    this.active.set(run.id, { abort, ended, waiting: () => isWaiting(log) });
    const stopWatching = this.parts.store.watch(run.id, () => void this.hear(run, abort), "control");
    void ended.finally(() => {
      stopWatching();
      this.active.delete(run.id);
    });
  }

  /** Stops work on a run that was cancelled, taken over or deleted elsewhere. */
  private async hear({ id, epoch }: Run, abort: AbortController): Promise<void> {
    try {
      const now = await this.parts.store.getRun(id);
      if (!now || now.cancelRequested || now.epoch !== epoch) abort.abort();
    } catch (thrown) {
      // The heartbeat hears of it a little later.
      this.parts.log.warn({ err: thrown, runId: id }, "a wish for a run could not be read");
    }
  }

  private async turn(
    run: Run,
    log: RunLog,
    remains: Remains,
    signal: AbortSignal,
    waits: WaitMeter,
  ): Promise<TurnOutcome> {
    const stored = run.request as unknown as RunRequest;
    try {
      const turn = waits.metered(await prepareTurn(this.parts, run, log, remains, signal));
      const { tracer, record } = this.parts;
      const work = async (turn: Turn) => record?.(turn, runTurn) ?? runTurn(turn);
      return await (tracer ? traceTurn(tracer, turn, run, stored.traceparent, work) : work(turn));
    } catch (thrown) {
      if (thrown instanceof Fenced || this.closing) throw thrown;
      this.parts.log.error({ err: thrown, runId: run.id }, "a run failed");
      const { publicMessage: error, code, retryable } = this.parts.guard.clean(thrown);
      log.emit({ type: "error", error, code, requestId: stored.requestId, retryable });
      return { status: "error", finishReason: "error", parts: [], iterations: 0 };
    }
  }

  private async finish(
    run: Run,
    log: RunLog,
    outcome: Promise<TurnOutcome>,
    waits: WaitMeter,
  ): Promise<void> {
    const { status, finishReason, parts, iterations } = await outcome;
    if (this.closing && status === "cancelled") return; // Not the person's wish: the next process goes on with it.
    const { messageId, id: runId } = run;
    const model = (run.request as unknown as RunRequest).model;
    log.emit({ type: "done", finishReason, messageId, iterations, toolCalls: callsOf(log.state()).length });
    const state = log.state();
    const usage = state.usage ? { usage: state.usage } : {};
    await log.finish({
      status,
      message: { id: messageId, runId, model, parts, finishReason, state, ...usage },
    });
    this.parts.note({ type: "run_ended", status, overheadMs: waits.overheadMs() });
    const { error } = state;
    if (error)
      this.parts.noteError({ code: error.code, source: `model:${model}`, requestId: error.requestId });
  }

  /** The person's message; none where one that is there is answered once more. */
  private async said(principal: Principal, request: TurnRequest): Promise<Message | undefined> {
    if (request.regenerate !== undefined) return undefined;
    const said = request.newest
      ? { ...request.newest, id: newId("msg") }
      : textMessage(newId("msg"), "user", newestText(request));
    const attached = await attachmentParts(this.parts.files, principal.id, request.attachments);
    return { ...said, parts: [...said.parts, ...attached] };
  }

  private async sessionFor(
    principal: Principal,
    request: TurnRequest,
  ): Promise<{ existing?: string; title: string }> {
    if (request.sessionId === undefined) return { title: titleFrom(newestText(request)) };
    const session = await ownSession(this.parts.store, principal, request.sessionId);
    return { existing: session.id, title: session.title };
  }
}

/** The session, if it is this person's. */
export async function ownSession(store: Store, principal: Principal, id: string) {
  const session = await store.getSession(id);
  if (!session) throw new Failure("NOT_FOUND", "There is no such session.");
  if (session.userId !== principal.id)
    throw new Failure("FORBIDDEN", "This session belongs to somebody else.");
  return session;
}

function isWaiting(log: RunLog): boolean {
  const statuses = callsOf(log.state()).map(({ status }) => status);
  return statuses.includes("waiting") && !statuses.includes("running");
}

function newestText(request: TurnRequest): string {
  if (request.newest) {
    const asked = request.history?.findLast((message) => message.role === "user" && textOf(message) !== "");
    return textOf(request.newest) || (asked ? textOf(asked) : "");
  }
  return request.message ?? request.messages?.at(-1)?.content ?? "";
}

/** The first words of the first message: good enough to find a session again, and free. */
function titleFrom(text: string): string {
  const line = text.trim().split("\n", 1)[0]?.replace(/\s+/g, " ") ?? "";
  const characters = [...line];
  if (characters.length <= TITLE_LENGTH) return line || "New session";
  const cut = characters.slice(0, TITLE_LENGTH).join("");
  const words = cut.slice(0, cut.lastIndexOf(" "));
  return `${words.length > TITLE_LENGTH / 2 ? words : cut}…`;
}
