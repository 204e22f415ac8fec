import { abortWith } from "../protocol/abortable.ts";
import type { AssistantPart, Part } from "../protocol/messages.ts";
import type { Run } from "../protocol/run-records.ts";
import type { Store } from "../protocol/store.ts";
import { inputsOf } from "../protocol/stored.ts";
import type { Turn } from "./turn.ts";

/** What the person sent into the run, and what the first layer found in it. */
export interface TakenInputs {
  parts: AssistantPart[];
  labels: string[];
}

const NOTHING: TakenInputs = { parts: [], labels: [] };

/**
 * The messages that a person sends into a run. Call `wake` when something may have been sent, and `check` to look whether one of them
 * interrupts the model. Nothing can have been sent into a new run before.
 */
export function createInbox(
  store: Pick<Store, "claimInputs" | "listInputs">,
  run: Pick<Run, "id" | "epoch">,
  isNew: boolean,
): NonNullable<Turn["inputs"]> & { isEmpty(): boolean; wake(): void; check(): Promise<void> } {
  let current = new AbortController();
  let isEmpty = isNew;
  return {
    async take() {
      current = new AbortController();
      return store.claimInputs(run.id, run.epoch);
    },
    interruption: () => current.signal,
    isEmpty: () => isEmpty,
    wake() {
      isEmpty = false;
    },
    async check() {
      const interruption = current;
      const waiting = await store.listInputs(run.id);
      if (waiting.some(({ interrupt, when, state }) => interrupt && when === "now" && state === "waiting"))
        interruption.abort();
    },
  };
}

/**
 * Takes what the person sent into the run before this step, and records it. The message is used up in the transaction that
 * writes the event and the step, so after a crash it is either in the journal or still waits.
 */
export async function takeInputs(turn: Turn, iteration: number): Promise<TakenInputs> {
  const { log, inputs } = turn;
  const key = `input:${iteration}`;
  const before = log.steps.get(key);
  if (before?.state === "finished") return withLabels(turn, inputsOf(before));
  // An earlier owner has asked the model without any.
  if (!inputs || log.steps.has(`model:${iteration}`)) return NOTHING;
  const messages = (await inputs.take()).map(({ messageId, parts }) => ({
    messageId,
    parts: textAndImages(parts),
  }));
  if (messages.length === 0) return NOTHING;
  for (const { messageId, parts } of messages)
    log.emit({ type: "user_message", messageId, text: textOf(parts), when: "now" });
  log.step({ key, state: "started", idempotencyKey: `${log.runId}:${key}` });
  const takes = messages.map(({ messageId }) => messageId);
  log.step({ key, state: "finished", result: { messages }, takes });
  await log.flush();
  return withLabels(turn, messages);
}

/** A turn whose work also stops when the person interrupts the model. */
export function interruptible(turn: Turn): Turn {
  if (!turn.inputs) return turn;
  const working = new AbortController();
  abortWith(working, turn.signal, turn.inputs.interruption());
  return { ...turn, signal: working.signal };
}

async function withLabels(turn: Turn, messages: readonly { parts: AssistantPart[] }[]): Promise<TakenInputs> {
  const parts = messages.flatMap((message) => message.parts);
  return { parts, labels: await turn.guard.labels(textOf(parts)) };
}

function textAndImages(parts: readonly Part[]): AssistantPart[] {
  return parts.filter((part): part is AssistantPart => part.type === "text" || part.type === "image");
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" && !part.file ? [part.text] : [])).join("\n\n");
}
