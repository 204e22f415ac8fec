import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import type { RecordedRequest } from "../src/sim/upstream.ts";
import { modelAt, startServer } from "../test/support/server.ts";
import { readRequest } from "./model/request.ts";
import { answerTo, BEFORE, PICTURE } from "./model/scenes.ts";

/** A server of ours with the scripted vendor behind it, and folders for one client. */
export interface Lab {
  /** Our server: `http://127.0.0.1:PORT`. */
  url: string;
  /** Where the client keeps its settings and sessions. */
  home: string;
  /** Where it works. There is `page.html` with the heading, and `picture.png`. */
  work: string;
  page: string;
  picture: string;
  /** Every request that reached the vendor. */
  requests: RecordedRequest[];
  /** Resolves when the vendor has begun an answer that it will not end; says then whether the request was stopped. */
  nextHeld(): Promise<Held>;
  close(): Promise<void>;
}

export interface Held {
  /** True once the request to the vendor is stopped, false if that takes too long. */
  stopped(): Promise<boolean>;
}

const STOPPING_MS = 15_000;
/** Between the words of an answer, so that they do not arrive together. */
const GAP_MS = 50;
const MODELS = ["stub-1", "gpt-5.5", "gpt-4o", "claude-sonnet-4-5"];

/** Starts it. Nothing of the machine's own settings is used. */
export async function openLab(): Promise<Lab> {
  const folder = mkdtempSync(join(tmpdir(), "tackle-clients-"));
  const [home, work, data] = ["home", "work", "data"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [home, work, data]) mkdirSync(path);
  const page = join(work, "page.html");
  const picture = join(work, "picture.png");
  writeFileSync(page, `<!doctype html>\n${BEFORE}\n`);
  writeFileSync(picture, Buffer.from(PICTURE, "base64"));

  const held: Held[] = [];
  const waiting: ((held: Held) => void)[] = [];
  const hold = (request: RecordedRequest) => {
    const one = { stopped: () => isStopped(request) };
    const waiter = waiting.shift();
    if (waiter) waiter(one);
    else held.push(one);
  };
  const upstream = await startUpstream({
    models: () => ({ object: "list", data: MODELS.map((id) => ({ id, object: "model" })) }),
    respond: (request) => play(request, hold),
  });
  const server = await startServer(data, { ...modelAt(upstream.url), TACKLE_MODEL: "openai/stub-1" });
  return {
    url: server.url,
    home,
    work,
    page,
    picture,
    requests: upstream.requests,
    nextHeld: () => {
      const known = held.shift();
      if (known) return Promise.resolve(known);
      return new Promise((resolve) => waiting.push(resolve));
    },
    async close() {
      await server.stop();
      await upstream.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function isStopped(request: RecordedRequest): Promise<boolean> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, STOPPING_MS).unref());
  await Promise.race([request.ended, late]);
  return request.aborted;
}

function play(request: RecordedRequest, hold: (request: RecordedRequest) => void): Turn {
  if (request.method !== "POST") return errorTurn(404);
  const asked = readRequest(request.body);
  const answer = answerTo(asked);
  if (process.env.TACKLE_CLIENTS_TRACE)
    appendFileSync(
      process.env.TACKLE_CLIENTS_TRACE,
      `${JSON.stringify({ path: request.path, ...asked, answer })}\n`,
    );
  if (answer === "error")
    return errorTurn(400, { message: "The scripted vendor refuses.", type: "invalid_request_error" });
  const encode = request.path.endsWith("/responses") ? responsesTurn : chatTurn;
  if (answer !== "hold") return encode({ chunkSize: "word", gapMs: GAP_MS, ...answer, whole: !asked.stream });
  hold(request);
  const { frames } = encode({ text: "Well, then, let me think about it.", chunkSize: "word" });
  return { frames: [...frames.slice(0, 4), { hold: new Promise(() => {}) }] };
}
