import { setTimeout as pause } from "node:timers/promises";
import type { Chat } from "../protocol/chat.ts";
import { Failure } from "../protocol/failure.ts";
import { truncate } from "./lines.ts";
import type { TypedMessage } from "./prompt.ts";
import type { Screen } from "./screen.ts";
import { oneLine } from "./wording.ts";

/** How long the next run may take to begin. */
const SETTLE_MS = 5_000;

interface WaitingMessage {
  message: TypedMessage;
  after: boolean;
  /** Where it waits, if that is in the run and not here. */
  sent?: { runId: string; messageId: string };
}

/** Messages that were entered while an answer is written. A run takes them; what it leaves is sent after it. */
export class Waiting {
  readonly #items: WaitingMessage[] = [];

  get length(): number {
    return this.#items.length;
  }

  /** Adds a message: into the run if there is one that takes messages, otherwise for after it. */
  async add(
    chat: Chat,
    runId: string | undefined,
    message: TypedMessage,
    after: boolean,
    prepare: () => Promise<{ message?: string | undefined; attachments?: { fileId: string }[] | undefined }>,
  ): Promise<void> {
    const item: WaitingMessage = { message, after };
    this.#items.push(item);
    if (runId === undefined) return;
    try {
      const { message: text = "", attachments } = await prepare();
      const when = after ? "after" : "now";
      const { messageId } = await chat.steer(runId, {
        message: text,
        when,
        ...(attachments ? { attachments } : {}),
      });
      item.sent = { runId, messageId };
    } catch (thrown) {
      // The run is over: the message is sent as the next one.
      if (!(thrown instanceof Failure && thrown.code === "CONFLICT")) throw thrown;
    }
  }

  /** Forgets a message that took effect. Returns it. */
  taken(messageId: string): TypedMessage | undefined {
    const at = this.#items.findIndex(({ sent }) => sent?.messageId === messageId);
    return at === -1 ? undefined : this.#items.splice(at, 1)[0]?.message;
  }

  /** Forgets the first message that waits here. Returns it. */
  next(): TypedMessage | undefined {
    const at = this.#items.findIndex(({ sent }) => !sent);
    return at === -1 ? undefined : this.#items.splice(at, 1)[0]?.message;
  }

  /**
   * After a run: returns the run that answers the next message that waited in it, or what the run gave back. Nothing if
   * nothing waits.
   */
  async afterRun(
    chat: Chat,
    sessionId: string,
  ): Promise<{ runId?: string; back?: TypedMessage[] } | undefined> {
    const until = performance.now() + SETTLE_MS;
    for (;;) {
      const [first] = this.#items.filter(({ sent }) => sent);
      if (!first?.sent) return undefined;
      const { activeRunId } = await chat.getSession(sessionId);
      if (activeRunId !== undefined && activeRunId !== first.sent.runId) return this.#movedTo(activeRunId);
      const unused = await chat.waitingMessages(first.sent.runId);
      if (unused.some(({ state }) => state === "returned")) return { back: await this.takeBack(chat, "all") };
      if (performance.now() > until) return { back: await this.takeBack(chat, "all") };
      await pause(50);
    }
  }

  /** The next run answers what was meant for now, or else the first. The others wait in that run. */
  #movedTo(runId: string): { runId: string } {
    const sent = this.#items.filter((item) => item.sent);
    const answered = sent.find(({ after }) => !after) ?? sent[0];
    if (answered) this.#items.splice(this.#items.indexOf(answered), 1);
    for (const item of this.#items) if (item.sent) item.sent.runId = runId;
    return { runId };
  }

  /** Takes back the newest message, or all of them. Returns those that had not taken effect. */
  async takeBack(chat: Chat, which: "newest" | "all"): Promise<TypedMessage[]> {
    const items = which === "all" ? this.#items.splice(0) : this.#items.splice(-1);
    const back: TypedMessage[] = [];
    for (const { message, sent } of items) {
      if (!sent || (await withdrawn(chat, sent))) back.push(message);
    }
    return back;
  }

  /** One line for each, above the prompt. */
  lines({ columns, paint }: Pick<Screen, "columns" | "paint">): string[] {
    return this.#items.map(({ message, after, sent }, at) => {
      const hint = at === this.#items.length - 1 ? " · ↑ takes it back" : "";
      const line = `  ${after || !sent ? "next" : "soon"}: ${oneLine(message.text)}`;
      return paint("dim", truncate(line, columns - hint.length) + hint);
    });
  }
}

/** Returns false if the run has used the message meanwhile. */
async function withdrawn(
  chat: Chat,
  { runId, messageId }: { runId: string; messageId: string },
): Promise<boolean> {
  try {
    await chat.withdrawMessage(runId, messageId);
    return true;
  } catch (thrown) {
    if (thrown instanceof Failure && (thrown.code === "NOT_FOUND" || thrown.code === "CONFLICT"))
      return false;
    throw thrown;
  }
}
