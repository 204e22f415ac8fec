import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { answerQuestions } from "./child.ts";
import { type Opened, type Seen, SOON_MS, TOKEN_GAP_MS } from "./figures.ts";
import { MarkReader, now } from "./marks.ts";

// A child process with all readers. Each stream is a socket that is read as cheaply as possible.

export interface Target {
  url: string;
  path: string;
  body: string;
}

interface Stream {
  socket: Socket;
  tokens: number;
}

/** A histogram in quarters of a millisecond, up to ten seconds. */
const buckets = new Uint32Array(40_000);
const streams = new Set<Stream>();
/** How many requests are opened at a time. */
const AT_ONCE = 32;

function clear(): void {
  buckets.fill(0);
  for (const stream of streams) stream.tokens = 0;
}

interface Opening {
  targets: Target[];
  count: number;
  atOnce?: number;
}

async function open({ targets, count, atOnce = AT_ONCE }: Opening): Promise<Opened> {
  const opened = { admitted: 0, soon: 0, refused: 0, broken: 0 };
  const waits = new Set<number>();
  const begun = now();
  let asked = 0;
  const askOn = async () => {
    while (asked < count) {
      const target = targets[asked++ % targets.length];
      if (!target) continue;
      const { outcome, retryAfter } = await openOne(target);
      if (retryAfter !== undefined) waits.add(retryAfter);
      opened[outcome]++;
      if (outcome === "admitted" && now() - begun < SOON_MS) opened.soon++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, askOn));
  return { ...opened, waits: [...waits], answeredMs: now() - begun };
}

interface Outcome {
  outcome: "admitted" | "refused" | "broken";
  retryAfter?: number;
}

/** Resolves with the headers of the answer. */
function openOne({ url, path, body }: Target): Promise<Outcome> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const stream: Stream = { socket, tokens: 0 };
  const reader = new MarkReader();
  const onMark = (writtenAt: number) => {
    const late = Math.max(0, Math.round((now() - writtenAt) * 4));
    buckets[Math.min(late, buckets.length - 1)]! += 1;
    stream.tokens++;
  };
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\n` +
      `authorization: Bearer bench\r\naccept: text/event-stream\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return new Promise((resolve) => {
    socket.once("data", (head) => {
      const text = head.toString("latin1");
      if (text.startsWith("HTTP/1.1 200")) {
        streams.add(stream);
        reader.read(head, onMark);
        socket.on("data", (chunk: Buffer) => reader.read(chunk, onMark));
        resolve({ outcome: "admitted" });
        return;
      }
      socket.destroy();
      const [, seconds] = /^HTTP\/1.1 503.*^retry-after: (\d+)/ims.exec(text) ?? [];
      resolve(seconds ? { outcome: "refused", retryAfter: Number(seconds) } : { outcome: "broken" });
    });
    socket.on("error", () => resolve({ outcome: "broken" }));
    socket.on("close", () => {
      streams.delete(stream);
      resolve({ outcome: "broken" });
    });
  });
}

async function measure(ms: number): Promise<Seen> {
  clear();
  const begun = now();
  await pause(ms);
  return seen((now() - begun) / 1000);
}

function seen(seconds: number): Seen {
  const tokens = buckets.reduce((sum, count) => sum + count, 0);
  const at = (share: number) => {
    let left = tokens * share;
    for (const [bucket, count] of buckets.entries()) {
      left -= count;
      if (left <= 0) return bucket / 4;
    }
    return Number.NaN;
  };
  const due = (seconds * 1000) / TOKEN_GAP_MS;
  const all = [...streams];
  return {
    streams: all.length,
    tokens,
    seconds,
    p50: at(0.5),
    p99: at(0.99),
    slow: all.filter((stream) => stream.tokens < due * 0.9).length,
    silent: all.filter((stream) => stream.tokens === 0).length,
  };
}

/** Sends requests, reads all answers to their end, and returns how long it took. */
async function burst(argument: { targets: Target[]; count: number; tokens: number }): Promise<Seen> {
  clear();
  const begun = now();
  await open(argument);
  const all = argument.count * argument.tokens;
  let [before, stood] = [0, 0];
  // Servers keep connections open, so it ends when all tokens arrived, or none came for a second.
  for (let looks = 0; looks < 6_000 && stood < 100; looks++) {
    await pause(10);
    const { tokens } = seen(1);
    if (tokens >= all) break;
    stood = tokens === before ? stood + 1 : 0;
    before = tokens;
  }
  const result = seen((now() - begun) / 1000);
  await close(0);
  return result;
}

/** Closes streams until this many are left. */
async function close(left: number): Promise<void> {
  for (const stream of [...streams].slice(left)) {
    stream.socket.destroy();
    streams.delete(stream);
  }
}

answerQuestions({ open, measure, burst, close });
