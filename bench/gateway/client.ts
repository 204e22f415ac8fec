import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { answerQuestions } from "../load/child.ts";
import { MarkReader, now } from "../load/marks.ts";
import { FRAMES, LONGEST_GAP_MS, type Load, PACE_MS, type Seen, type Target } from "./figures.ts";

// A child process with all readers. Each keeps its connection, as the SDKs of vendors do, and reads it as cheaply as possible.

const ANSWER_MS = FRAMES * PACE_MS;
/** Refused readers do not ask again at once. */
const REFUSED_MS = 100;
const END_OF_BODY = "\r\n0\r\n\r\n";

async function run({ target, atOnce, each }: Load): Promise<Seen> {
  const seen: Seen = { firstBytes: [], failed: 0 };
  await Promise.all(Array.from({ length: atOnce }, () => new Reader(target).read(each, seen)));
  seen.firstBytes.sort((left, right) => left - right);
  return seen;
}

/** Sends requests one after the other on one connection. */
class Reader {
  readonly #target: Target;
  #socket: Socket | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  async read(count: number, seen: Seen): Promise<void> {
    // Readers begin at different times, and stay apart.
    await pause(Math.random() * ANSWER_MS);
    for (let asked = 0; asked < count; asked++) {
      await pause(Math.random() * PACE_MS);
      const outcome = await this.#ask();
      if (typeof outcome === "number") seen.firstBytes.push(outcome);
      else {
        seen.failed += 1;
        seen.reason = outcome;
        await pause(REFUSED_MS);
      }
    }
    this.#socket?.destroy();
  }

  /** Returns the milliseconds until the first frame, or what went wrong. */
  #ask(): Promise<number | string> {
    const { url, path, headers, body } = this.#target;
    const { hostname, port } = new URL(url);
    const socket = this.#socket ?? connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket = socket;
    const answer = new AnswerReader();
    return new Promise((resolve) => {
      const end = (outcome: number | string) => {
        clearTimeout(tooLate);
        socket.removeAllListeners();
        socket.on("error", () => {});
        if (typeof outcome === "string" || socket.destroyed) {
          socket.destroy();
          this.#socket = undefined;
        }
        resolve(outcome);
      };
      const tooLate = setTimeout(() => end("no end"), 4 * ANSWER_MS);
      socket.on("error", (error) => end(error.message));
      socket.on("close", () => end(answer.outcome() ?? "closed early"));
      socket.on("data", (chunk: Buffer) => {
        const outcome = answer.take(chunk);
        if (outcome !== undefined) end(outcome);
      });
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      answer.askedAt = now();
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\n${lines.join("")}` +
          `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    });
  }
}

/** Reads one answer: counts its frames and finds pauses. */
class AnswerReader {
  askedAt = 0;
  readonly #marks = new MarkReader();
  #frames = 0;
  #firstMs = 0;
  #longestGap = 0;
  #arrivedAt = 0;
  #writtenAt = 0;
  #head = "";
  #tail = "";

  /** Returns the outcome at the end of the answer. */
  take(chunk: Buffer): number | string | undefined {
    const text = chunk.toString("latin1");
    if (this.#head.length < 12) this.#head += text.slice(0, 12);
    if (this.#head.length >= 12 && !this.#head.startsWith("HTTP/1.1 200")) return this.#head.slice(9, 12);
    this.#marks.read(chunk, (writtenAt) => this.#note(writtenAt, now()));
    this.#tail = (this.#tail + text).slice(-END_OF_BODY.length);
    return this.#tail === END_OF_BODY ? this.outcome() : undefined;
  }

  #note(writtenAt: number, arrivedAt: number): void {
    if (this.#frames++ === 0) this.#firstMs = arrivedAt - this.askedAt;
    else {
      // A pause of the upstream, which shares this machine, is not the server's.
      const upstreamLate = Math.max(0, writtenAt - this.#writtenAt - PACE_MS);
      this.#longestGap = Math.max(this.#longestGap, arrivedAt - this.#arrivedAt - upstreamLate);
    }
    this.#arrivedAt = arrivedAt;
    this.#writtenAt = writtenAt;
  }

  outcome(): number | string {
    if (this.#frames !== FRAMES) return `${this.#frames} of ${FRAMES} frames`;
    if (this.#longestGap > LONGEST_GAP_MS) return `a gap of ${this.#longestGap.toFixed(0)} ms`;
    return this.#firstMs;
  }
}

answerQuestions({ run });
