import { setTimeout as pause } from "node:timers/promises";
import { createInbox } from "../loop/inbox.ts";
import { runTurn, type TurnOutcome } from "../loop/run.ts";
import type { Turn } from "../loop/turn.ts";
import type { AccountEvent } from "../protocol/account-events.ts";
import type { StartedRun } from "../protocol/chat.ts";
import { Failure, toFailure } from "../protocol/failure.ts";
import type { RunLog } from "../protocol/journal.ts";
import type { ErrorEntry } from "../protocol/ledger.ts";
import type { RunNotice } from "../protocol/notices.ts";
import type { Principal } from "../protocol/principal.ts";
import { callsOf } from "../protocol/reduce.ts";
import { readEvents } from "../protocol/run-events.ts";
import type { CausedSetting, Run } from "../protocol/run-records.ts";
import { parseRunRequest, type RunRequest } from "../protocol/run-request.ts";
import { pauseIfLong } from "../protocol/slices.ts";
import type { RunFact } from "../protocol/statistics.ts";
import { Fenced, RELEASED_RUNS } from "../protocol/store.ts";
import type { TurnRequest } from "../protocol/turns.ts";
import type { During } from "../protocol/waits.ts";
import { type AnnounceParts, announceRun, awaitTitles, noticesWith } from "./account-feed.ts";
import { type ChildStarter, childRunsOf } from "./child-runs.ts";
import { chooseTools } from "./choose-tools.ts";
import { continues, openRun, planRun, type StartOptions } from "./open-run.ts";
import { prepareTurn } from "./prepare-turn.ts";
import { announceSent, asOwnMessage, nextRequest } from "./run-inputs.ts";
import { inProject, placeOf } from "./session-instructions.ts";
import { saveContextOf } from "./shorten-session.ts";
import { silentLog } from "./silent-log.ts";
import type { Admitted, OwnedRun, RecoveredJournal, TurnParts } from "./turn-parts.ts";
import { createWaitMeter, type WaitMeter } from "./waits.ts";

/** Runs a turn and returns its outcome. */
export type WorkOnTurn = (turn: Turn) => Promise<TurnOutcome>;

export interface RunnerParts extends TurnParts, AnnounceParts {
  note(fact: RunFact): void;
  noteError(error: ErrorEntry): void;
  /** Returns what is stored with the event that a notice is about. Must not throw. */
  settingOf?(notice: RunNotice): CausedSetting;
  duringRequest?: During;
  /** Records the turn while `work` runs it. */
  record?(turn: Turn, work: WorkOnTurn): Promise<TurnOutcome>;
  /** Traces the turn while `work` runs it. */
  trace?(turn: Turn, run: Run, traceparent: string | undefined, work: WorkOnTurn): Promise<TurnOutcome>;
  log: { warn(facts: object, message: string): void; error(facts: object, message: string): void };
}

/** A run that this process works on. */
interface ActiveRun {
  abort: AbortController;
  ended: Promise<void>;
  /** True while the run waits for a person and does nothing else. */
  isWaiting(): boolean;
}

type Inbox = ReturnType<typeof createInbox>;

/** How many abandoned runs are taken over at once. */
const MOST_CLAIMED = 100;
const DRAIN_POLL_MS = 50;

/** Opens runs and works on them, from the request to the transcript, including those that another process began. */
export class Runner {
  private readonly parts: RunnerParts;
  readonly owner: string;
  readonly leaseMs: number;
  private readonly active = new Map<string, ActiveRun>();
  /** Runs that this version cannot read, each reported once. */
  private readonly unreadable = new Set<string>();
  private readonly heartbeat: NodeJS.Timeout;
  private readonly stopWatching: () => void;
  private renewing: Promise<void> = Promise.resolve();
  /** The store's clock and our own at the last heartbeat, and when runs of others may be claimed by our own. */
  private clocks: { store: number; own: number } | undefined;
  claimFrom = 0;
  private draining = false;
  private closing = false;
  private readonly titles = new Set<Promise<void>>();
  private readonly closed = new AbortController();
  private readonly children: ChildStarter = {
    start: (...child) => this.start(...child),
    stop: async (parent, runId) => {
      if (this.closing) return;
      const now = await this.parts.store.getRun(parent.id);
      if (!now || now.epoch === parent.epoch) await this.cancel(runId);
    },
  };

  constructor(parts: RunnerParts, owner: string) {
    this.parts = parts;
    this.owner = owner;
    this.leaseMs = parts.settings.leaseMs;
    // Another instance takes over within 1.5 × the lease.
    this.heartbeat = setInterval(() => void this.takeOver(), this.leaseMs / 4).unref();
    this.stopWatching = parts.store.watch(RELEASED_RUNS, () => void this.takeOver());
  }

  /** How many runs this process works on. */
  get activeRuns(): number {
    return this.active.size;
  }

  /** Writes the run and begins to work on it: the model is asked while the disk still writes. Resolves when that is done. */
  async start(principal: Principal, given: TurnRequest, asked: StartOptions = {}): Promise<StartedRun> {
    const { store } = this.parts;
    const place = await placeOf(store, principal, given);
    const { request, options, rows } = await inProject(this.parts, principal, given, asked, place);
    const admitted = await this.admit(principal, request, options.child !== undefined);
    const planned = await planRun(this.parts, principal, request, admitted.model.id, options, place);
    // Reading a long message has taken its time already, and writing it takes as long.
    await pauseIfLong();
    const { run, request: kept, joined, recovered } = await openRun(store, planned, this);
    const { sessionId, id: runId, messageId } = run;
    const first: AccountEvent[] = [{ type: "run_started", sessionId, runId, messageId }];
    if (planned.newTitle !== undefined)
      first.unshift({ type: "session_created", sessionId, title: planned.newTitle });
    const opened = { ...recovered, continues: continues(planned, place), known: { ...admitted, rows } };
    if (!joined) this.work(run, kept, opened, first);
    await recovered.durable;
    return { runId, sessionId, messageId, model: kept.model, joined };
  }

  /** Stops a run, wherever it is worked on. */
  async cancel(runId: string): Promise<void> {
    await this.parts.store.requestCancel(runId);
    this.abandon(runId);
    for (const child of await this.parts.store.activeChildren(runId)) await this.cancel(child);
  }

  /** Stops work on a run whose journal can no longer be written. */
  abandon(runId: string): void {
    this.active.get(runId)?.abort.abort();
  }

  /** Takes over the runs that a dead process left behind. */
  async recover(): Promise<void> {
    const { store, note, log } = this.parts;
    for (const run of await store.claimRuns(this.owner, this.leaseMs, MOST_CLAIMED)) {
      // This process may still be working on a run that it lost and got back.
      const former = this.active.get(run.id);
      former?.abort.abort();
      await former?.ended;
      try {
        const recovered = { events: await readEvents(store, run.id), steps: await store.readSteps(run.id) };
        note({ type: "takeover" });
        this.work(run, parseRunRequest(run), recovered);
      } catch (thrown) {
        // One unreadable run must not hold up the others. Its lease runs out, and a newer version may take it over.
        if (!this.unreadable.has(run.id))
          log.error({ err: thrown, runId: run.id }, "could not take over a run");
        this.unreadable.add(run.id);
      }
    }
    for (const runId of await store.runsWithUnusedInputs(MOST_CLAIMED)) await this.startNext(runId);
  }

  /** Returns the turn of a run that has ended, to ask its model something else after the same beginning. */
  async turnOf(run: Run, signal: AbortSignal): Promise<Turn> {
    const nothing = { events: [], steps: [] };
    const owned = { run, request: parseRunRequest(run), log: silentLog(run.id), recovered: nothing };
    return prepareTurn(this.parts, owned, { signal, inputs: undefined });
  }

  /** Takes over released runs now. */
  takeOver(): Promise<void> {
    this.renewing = this.renewLeases();
    return this.renewing;
  }

  /** Accepts no new runs and gives active ones time to end. Runs that wait for a person are not waited for. */
  async drain(graceMs: number): Promise<void> {
    this.draining = true;
    const over = new AbortController();
    const grace = pause(graceMs, undefined, { ref: false, signal: over.signal }).catch(() => undefined);
    const busy = () => [...this.active.values()].filter((run) => !run.isWaiting());
    const allEnded = async () => {
      while (busy().length > 0 && !over.signal.aborted)
        await Promise.race([
          ...busy().map(({ ended }) => ended),
          pause(DRAIN_POLL_MS, undefined, { ref: false }),
        ]);
    };
    await Promise.race([allEnded(), grace]);
    over.abort();
  }

  /** Releases all runs for other processes to take over. Does nothing the second time. */
  async close(): Promise<void> {
    this.draining = true;
    await awaitTitles(this.titles);
    if (this.closing) return;
    this.closing = true;
    this.closed.abort();
    clearInterval(this.heartbeat);
    this.stopWatching();
    // A renewal that is under way must not outlast the release.
    await this.renewing;
    await this.parts.journal.close();
    for (const { abort } of this.active.values()) abort.abort();
    await this.parts.store.releaseLeases(this.owner);
  }

  /** Returns who will answer, with which tools. Throws for a request that cannot be run. */
  private async admit(principal: Principal, request: TurnRequest, isChild: boolean): Promise<Admitted> {
    // The next process continues with a child, as with its parent.
    if (this.draining && !isChild)
      throw new Failure("RESOURCE_EXHAUSTED", "The server is shutting down. Try again in a moment.", {
        retryable: true,
        retryAfter: 5,
      });
    const { modelsFor, registry } = this.parts;
    const models = await modelsFor(principal);
    const model = await models.resolve(request.model);
    return { model, keys: models.keys, chosen: chooseTools(registry.for(principal), request) };
  }

  /** Renews leases, stops what was cancelled or lost, and takes over what others dropped. */
  private async renewLeases(): Promise<void> {
    try {
      const active = [...this.active.keys()];
      const { cancelled, lost } = await this.parts.store.renewLeases(this.owner, this.leaseMs, active);
      for (const runId of [...cancelled, ...lost]) this.abandon(runId);
      for (const runId of lost) this.endCommands(runId);
      await this.compareClocks();
      if (!this.draining && performance.now() >= this.claimFrom) await this.recover();
    } catch (thrown) {
      this.parts.log.warn({ err: thrown }, "could not renew the leases of runs");
    }
  }

  /**
   * If the store's clock has jumped, or the machine was suspended, leases of live owners seem to have expired. Those owners
   * get the time to renew them.
   */
  private async compareClocks(): Promise<void> {
    const own = performance.now();
    const store = await this.parts.store.now();
    const before = this.clocks ?? { store, own };
    const jump = Math.abs(store - before.store - (own - before.own));
    if (jump > this.leaseMs / 4) this.claimFrom = Math.max(this.claimFrom, own + this.leaseMs / 2);
    this.clocks = { store, own };
  }

  private work(
    run: Run,
    request: RunRequest,
    recovered: RecoveredJournal,
    first: readonly AccountEvent[] = [],
  ): void {
    const { journal, store, log: notes } = this.parts;
    const abort = new AbortController();
    if (run.cancelRequested) abort.abort();
    const events = recovered.events.map(({ event }) => event);
    const log = journal.open(run, { ...recovered, events }, noticesWith(run, request, this.parts.settingOf));
    const owned = { run, request, log, recovered };
    const stopAnnouncing = announceRun(this.parts, owned, first, this.closed.signal, this.titles);
    const waits = createWaitMeter(this.parts.duringRequest);
    const inputs = createInbox(store, run, recovered.known !== undefined);
    const outcome = this.runTurn(owned, abort.signal, waits, inputs);
    const ended = this.finish(owned, outcome, waits, inputs).catch((thrown: unknown) => {
      if (!(thrown instanceof Fenced) && !this.closing)
        notes.error({ err: thrown, runId: run.id }, "could not finish a run");
    });
    this.active.set(run.id, { abort, ended, isWaiting: () => isWaiting(log) });
    const stopWatching = store.watch(run.id, () => void this.onControl(run, abort, inputs), "control");
    void ended.finally(() => {
      stopWatching();
      stopAnnouncing();
      this.active.delete(run.id);
    });
  }

  /** Stops work on a run that was cancelled, taken over or deleted elsewhere, or what the person wants to interrupt. */
  private async onControl({ id, epoch }: Run, abort: AbortController, inputs: Inbox): Promise<void> {
    inputs.wake();
    try {
      const now = await this.parts.store.getRun(id);
      if (!now || now.cancelRequested || now.epoch !== epoch) abort.abort();
      if (now?.epoch !== epoch) this.endCommands(id);
      else await inputs.check();
    } catch (thrown) {
      // The next heartbeat finds out.
      this.parts.log.warn({ err: thrown, runId: id }, "could not read the state of a run");
    }
  }

  /** The background commands of a run end with its lease. Its next owner cannot reach them. */
  private endCommands(runId: string): void {
    const { callContexts, log } = this.parts;
    callContexts.background?.endRun(runId).catch((thrown: unknown) => {
      log.warn({ err: thrown, runId }, "could not stop the commands of a run");
    });
  }

  private async runTurn(
    owned: OwnedRun,
    signal: AbortSignal,
    waits: WaitMeter,
    inputs: Turn["inputs"],
  ): Promise<TurnOutcome> {
    const { trace, record, guard } = this.parts;
    const { run, request, log } = owned;
    try {
      const children = () => childRunsOf(this.parts.store, this.children, run, request);
      const turn = waits.metered(await prepareTurn(this.parts, owned, { signal, inputs, children }));
      if (request.after) announceSent(log, request);
      const work: WorkOnTurn = async (turn) => record?.(turn, runTurn) ?? runTurn(turn);
      return await (trace ? trace(turn, run, request.traceparent, work) : work(turn));
    } catch (thrown) {
      if (thrown instanceof Fenced || this.closing) throw thrown;
      this.parts.log.error({ err: thrown, runId: run.id }, "a run failed");
      const known = guard.clean(thrown);
      // No tool has failed here, so the message of an unexpected error does not help.
      const failure = known.code === "TOOL_FAILED" ? toFailure(thrown) : known;
      const { publicMessage: error, code, retryable } = failure;
      log.emit({ type: "error", error, code, requestId: request.requestId, retryable });
      return { status: "error", finishReason: "error", parts: [], iterations: 0 };
    }
  }

  private async finish(
    { run, request: { model }, log }: OwnedRun,
    outcome: Promise<TurnOutcome>,
    waits: WaitMeter,
    inputs: Inbox,
  ): Promise<void> {
    const { messageId, id: runId } = run;
    const { status, finishReason, parts, iterations, contextChange, ending } = await outcome;
    if (this.closing && status === "cancelled") return; // The next process continues it.
    const toolCalls = callsOf(log.state()).length;
    log.emit({ type: "done", finishReason, ...ending, messageId, iterations, toolCalls });
    const state = log.state();
    const usage = state.usage ? { usage: state.usage } : {};
    if (contextChange) await saveContextOf(this.parts.store, run, contextChange);
    await log.finish({
      status,
      message: { id: messageId, runId, model, parts, finishReason, state, ...usage },
    });
    const { error } = state;
    const times = { overheadMs: waits.overheadMs(), durationMs: waits.totalMs() };
    this.parts.note({ type: "run_ended", status, ...times, error: error?.code });
    if (error)
      this.parts.noteError({ code: error.code, source: `model:${model}`, requestId: error.requestId });
    if (!inputs.isEmpty()) await this.startNext(runId);
  }

  /**
   * Starts the next turn with the first message that the run has not used. After a run that was stopped or failed, waiting
   * messages go back to the person, who wrote them before that and may not want to send them anymore.
   */
  private async startNext(runId: string): Promise<void> {
    const { store, log } = this.parts;
    try {
      const unused = (await store.listInputs(runId)).filter(
        ({ state }) => state === "waiting" || state === "claimed",
      );
      const input = unused.find(({ when }) => when === "now") ?? unused[0];
      const run = input && !this.draining ? await store.getRun(runId) : undefined;
      if (!input || !run) return;
      const answer = await store.getMessage(run.messageId);
      if (run.status !== "done" || answer?.finishReason === "client_tools") {
        await store.returnInputs(runId);
        return;
      }
      const { request, principal, limits } = parseRunRequest(run);
      const options = { after: { runId, messageId: input.messageId }, limits };
      const next = nextRequest(request, run, asOwnMessage(input));
      await this.start({ ...principal, id: run.userId }, next, options);
    } catch (thrown) {
      const { code } = toFailure(thrown);
      // Another instance was faster, or another turn has begun in the session: then it waits for that one too.
      if (code === "CONFLICT" || this.draining) return;
      log.warn({ err: thrown, runId }, "could not start the turn that waited for a run");
      if (code !== "RESOURCE_EXHAUSTED" && code !== "INTERNAL") await store.returnInputs(runId);
    }
  }
}

function isWaiting(log: RunLog): boolean {
  const statuses = callsOf(log.state()).map(({ status }) => status);
  return statuses.includes("waiting") && !statuses.includes("running");
}
