import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createParser } from "eventsource-parser";
import { Stream } from "openai/streaming";
import { openAnswer } from "../src/models/wire/answer.ts";
import { anthropicMessages } from "../src/models/wire/anthropic-messages.ts";
import { createSseReader } from "../src/models/wire/body.ts";
import { createModel } from "../src/models/wire/exchange.ts";
import { gemini } from "../src/models/wire/gemini.ts";
import { openaiChat } from "../src/models/wire/openai-chat.ts";
import { openaiResponses } from "../src/models/wire/openai-responses.ts";
import type { ModelRequest } from "../src/protocol/model.ts";
import { type Dialect, defineProvider } from "../src/protocol/provider.ts";
import { anthropicTurn } from "../src/sim/testing/anthropic-turn.ts";
import { geminiTurn } from "../src/sim/testing/gemini-turn.ts";
import { responsesTurn } from "../src/sim/testing/responses-turn.ts";
import { scriptOf, type Turn } from "../src/sim/turn.ts";
import { chatTurn, type ScriptedAnswer } from "../src/sim/turns.ts";
import { median, shuffled } from "./load/rounds.ts";

const ROUNDS = 9;
const MEASURE_MS = 120;
const LIMIT = 1.5;
const REQUEST: ModelRequest = { messages: [], tools: [] };
const ANSWER: ScriptedAnswer = {
  reasoning: "Let me see what is asked here. ".repeat(120),
  text: "A sentence of the usual length, in words. ".repeat(400),
  calls: [{ name: "search", arguments: { query: "a question of some length ".repeat(20) } }],
};
const DIALECTS: readonly (readonly [Dialect, (answer: ScriptedAnswer) => Turn])[] = [
  [openaiChat, chatTurn],
  [openaiResponses, responsesTurn],
  [anthropicMessages, anthropicTurn],
  [gemini, geminiTurn],
];

/** Reads one stream and returns how many events it saw. */
type Decoder = (packets: readonly Uint8Array[]) => number | Promise<number>;

/** Compares our decoder with bare splitting and parsing, and with the clients of vendors and frameworks. */
export async function run(): Promise<void> {
  console.log(
    `CPU per event in µs, median of ${ROUNDS} shuffled rounds; one event a packet, as vendors send them.`,
  );
  let worst = 0;
  for (const [dialect, turnOf] of DIALECTS) {
    const packets = packetsOf(turnOf(ANSWER));
    const decoders = decodersOf(dialect);
    const costs = await measure(decoders, packets);
    const bare = costs.get("eventsource-parser + JSON.parse") ?? 0;
    console.log(`\n${dialect.id}, ${packets.length} packets`);
    for (const [name, cost] of costs) {
      console.log(`  ${name.padEnd(34)} ${cost.toFixed(2).padStart(7)}  ${(cost / bare).toFixed(2)}×`);
    }
    worst = Math.max(worst, (costs.get("tackle, decoder") ?? 0) / bare);
  }
  console.log(
    `\ndecoder against bare parsing, worst dialect: ${worst.toFixed(2)}× (figure: within ${LIMIT}×)`,
  );
  if (worst > LIMIT) process.exitCode = 1;
}

function packetsOf(turn: Turn): Uint8Array[] {
  // With a gap, every event is its own packet.
  return scriptOf({ ...turn, gapMs: 1 }).packets.map((packet) => packet.bytes);
}

function decodersOf(dialect: Dialect): Map<string, Decoder> {
  const decoders = new Map<string, Decoder>([
    ["eventsource-parser + JSON.parse", bare],
    ["tackle, decoder", (packets) => decode(dialect, packets)],
    ["tackle, whole exchange (async)", (packets) => exchange(dialect, packets)],
  ]);
  if (dialect === openaiChat) {
    decoders.set("openai SDK (async)", openaiSdk);
    decoders.set("AI SDK doStream (async)", aiSdk);
  }
  return decoders;
}

async function measure(
  decoders: Map<string, Decoder>,
  packets: readonly Uint8Array[],
): Promise<Map<string, number>> {
  const samples = new Map([...decoders.keys()].map((name) => [name, [] as number[]]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, decoder] of shuffled([...decoders])) {
      const cost = await costOf(decoder, packets);
      // The first round warms up.
      if (round >= 0) samples.get(name)?.push(cost);
    }
  }
  return new Map([...samples].map(([name, costs]) => [name, median(costs)]));
}

async function costOf(decoder: Decoder, packets: readonly Uint8Array[]): Promise<number> {
  const until = performance.now() + MEASURE_MS;
  const before = process.cpuUsage();
  let passes = 0;
  while (performance.now() < until) {
    const seen = await decoder(packets);
    // A decoder that stops early would look fast.
    if (seen < packets.length / 4) throw new Error(`only ${seen} of ${packets.length} events were read`);
    passes++;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (passes * packets.length);
}

function bare(packets: readonly Uint8Array[]): number {
  let seen = 0;
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data !== "[DONE]" && JSON.parse(data) !== null) seen++;
    },
  });
  for (const packet of packets) parser.feed(decoder.decode(packet, { stream: true }));
  return seen;
}

function decode(dialect: Dialect, packets: readonly Uint8Array[]): number {
  let failed = false;
  const context = { model: { name: "m" }, modelId: "bench/m", quirks: {} };
  const answer = openAnswer(dialect, context, REQUEST, (event) => {
    if (event.type === "failure") failed = true;
  });
  const reader = createSseReader({ onFrame: answer.frame });
  for (const packet of packets) reader.push(packet);
  reader.end();
  answer.end();
  return failed ? 0 : packets.length;
}

async function exchange(dialect: Dialect, packets: readonly Uint8Array[]): Promise<number> {
  const provider = defineProvider({
    id: "bench",
    label: "Bench",
    baseUrl: "http://127.0.0.1:9",
    baseUrlSetting: "BENCH_BASE_URL",
    dialect: dialect.id,
    models: [],
    unknownModel: {},
    quirks: {},
  });
  const transport = {
    send: async () => ({ status: 200, headers: {}, body: streamOf(packets), discard: () => undefined }),
    close: async () => undefined,
  };
  let failed = false;
  await createModel({ provider, modelInfo: { name: "m" }, dialect, transport }).stream(
    REQUEST,
    (event) => {
      if (event.type === "failure") failed = true;
    },
    new AbortController().signal,
  );
  return failed ? 0 : packets.length;
}

async function openaiSdk(packets: readonly Uint8Array[]): Promise<number> {
  const stream = Stream.fromSSEResponse(new Response(streamOf(packets)), new AbortController());
  let seen = 0;
  for await (const _chunk of stream) seen++;
  return seen;
}

async function aiSdk(packets: readonly Uint8Array[]): Promise<number> {
  const provider = createOpenAICompatible({
    name: "bench",
    baseURL: "http://127.0.0.1:9",
    fetch: async () => new Response(streamOf(packets), { headers: { "content-type": "text/event-stream" } }),
  });
  const { stream } = await provider.chatModel("m").doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  });
  let seen = 0;
  for await (const _part of stream) seen++;
  return seen;
}

function streamOf(packets: readonly Uint8Array[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      const packet = packets[at++];
      if (packet) controller.enqueue(packet as Uint8Array<ArrayBuffer>);
      else controller.close();
    },
  });
}
