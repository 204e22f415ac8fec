import { create } from "zustand";
import type { TranscriptMessage } from "../../protocol/chat.ts";
import { Failure, toFailure } from "../../protocol/failure.ts";
import { emptyRun, type RunState } from "../../protocol/reduce.ts";
import { conversation } from "./conversation.ts";
import { attempt } from "./notices.ts";
import { toolsOn } from "./questions.ts";
import { followRun } from "./run-follower.ts";
import { chat } from "./server.ts";
import { refreshSessions } from "./sessions.ts";
import { deleteAnyway } from "./temporary.ts";

/** An answer that is written beside that of the open conversation. */
export interface SideAnswer {
  model: string;
  /** The fork that it is written in. */
  sessionId?: string;
  runId?: string;
  state?: RunState;
  ended: boolean;
  failure?: Failure;
}

/**
 * Asks the question of an answer again, each model in a fork of the conversation: a conversation has one running answer at a
 * time. The forks are temporary: they are listed nowhere, and deleted unless one is kept.
 */
export function askBeside(answer: TranscriptMessage, models: readonly string[]) {
  const { sessionId: original = "" } = conversation.getState();
  const ending = new AbortController();
  const { signal } = ending;
  const forks = new Set<string>();
  const beside = create<{ answers: SideAnswer[] }>(() => ({
    answers: models.map((model) => ({ model, ended: false })),
  }));

  function change(model: string, changed: Partial<SideAnswer>): void {
    if (signal.aborted) return;
    beside.setState(({ answers }) => ({
      answers: answers.map((one) => (one.model === model ? { ...one, ...changed } : one)),
    }));
  }

  async function write(model: string): Promise<void> {
    try {
      const { id: sessionId } = await chat.forkSession(original, answer.id, { temporary: true });
      if (signal.aborted) return deleteAnyway(sessionId);
      forks.add(sessionId);
      change(model, { sessionId });
      const copied = (await chat.messages(sessionId, { limit: 1 })).at(-1);
      if (!copied) throw new Failure("NOT_FOUND", "There is no such message in this session.");
      if (signal.aborted) return;
      const request = { model, sessionId, regenerate: copied.id, tools: toolsOn() };
      const { runId } = await chat.send(request, { signal });
      change(model, { runId });
      const started = { state: emptyRun(), seq: 0 };
      const state = await followRun(runId, started, (now) => change(model, { state: now }), signal);
      change(model, { state, ended: true });
    } catch (error) {
      change(model, { failure: toFailure(error), ended: true });
    }
  }

  /** Deletes all forks but the one that is kept. Returns false if that cannot be kept any more. */
  async function end(kept?: string): Promise<boolean> {
    if (signal.aborted) return false;
    const isKept = kept === undefined || (await attempt(() => chat.keepSession(kept)));
    if (!isKept) return false;
    ending.abort();
    removeEventListener("pagehide", leave);
    for (const id of forks) if (id !== kept) deleteAnyway(id);
    if (kept !== undefined) void refreshSessions();
    return true;
  }

  function leave(): void {
    ending.abort();
    for (const id of forks) deleteAnyway(id);
  }

  addEventListener("pagehide", leave);
  for (const model of models) void write(model);
  return { beside, end };
}
