import { z } from "zod";
import { createTackle, defineTool, streamTurn } from "../src/index.ts";
import { project } from "../src/loop/context.ts";
import type { Message } from "../src/protocol/messages.ts";
import { type CountedRequest, startCountingUpstream } from "../src/sim/testing/counting-upstream.ts";

const TURNS = Number(process.env.TURNS ?? 1_000);
const WINDOW = 128_000;
const RESULT_CHARACTERS = 95_000;
const CONSTRAINTS_EVERY = 25;
const MESSAGES = 2_000;
const WARM_UP = 10;
const ROUNDS = 51;
const WORDS =
  "the quick report names seven rivers and a harbor near station 42, row 17: closed; open (later)".split(" ");

/** `npm run bench -- context`: a thousand turns with long results against a vendor that counts tokens in its own way. */
export async function run(): Promise<void> {
  const started = performance.now();
  const { over, orphans, missing, same, compactions, refused, largest } = await talk();
  console.log(`${TURNS} turns with results of ${RESULT_CHARACTERS} characters, window ${WINDOW}`);
  console.log(`  requests over the window: ${over} (refused: ${refused}), largest ${largest} tokens`);
  console.log(`  orphaned calls or results: ${orphans}`);
  console.log(`  constraints missing from a prompt: ${missing}`);
  console.log(
    `  turns with the same beginning as the one before: ${((100 * same) / (TURNS - 1)).toFixed(1)} %`,
  );
  console.log(`  changes of what is sent: ${compactions}`);
  console.log(`  time: ${((performance.now() - started) / 1000).toFixed(0)} s`);
  const { median, worst } = decide();
  console.log(
    `deciding what to send of ${MESSAGES} messages: median ${median.toFixed(2)} ms, worst ${worst.toFixed(2)} ms of CPU`,
  );
  const good = over + orphans + missing === 0 && same / (TURNS - 1) >= 0.95 && median <= 5;
  console.log(good ? "All goals are met." : "A goal is missed.");
  if (!good) process.exitCode = 1;
}

function prose(characters: number, seed: number): string {
  let text = `Document ${seed}\n`;
  for (let at = seed * 31; text.length < characters; at += 7)
    text += `${WORDS[at % WORDS.length]} ${at % 13 === 0 ? `${at}\n` : ""}`;
  return text;
}

async function talk() {
  const constraints: string[] = [];
  let missing = 0;
  let largest = 0;
  let turn = 0;
  const check = (request: CountedRequest) => {
    largest = Math.max(largest, request.tokens);
    const sent = request.texts.join("\n");
    for (const constraint of constraints) if (!sent.includes(constraint)) missing++;
  };
  const upstream = await startCountingUpstream({
    window: WINDOW,
    keep: 0,
    answer(request) {
      if (request.isSummary)
        return { text: `## Goal\nRead documents.\n## Done\nDocuments up to ${turn} were read.` };
      check(request);
      const last = request.messages.at(-1);
      if (last?.role === "tool") return { text: `Document ${turn} names seven rivers and a harbor.` };
      return { calls: [{ name: "read_document", arguments: { number: turn } }] };
    },
  });
  const read = defineTool({
    name: "read_document",
    description: "Reads a document.",
    effect: "read",
    retry: "pure",
    input: z.object({ number: z.number() }),
    run: ({ number }) => prose(RESULT_CHARACTERS, number),
  });
  const tackle = await createTackle({
    dataDir: ":memory:",
    model: "openai-compatible/m",
    tools: [read],
    settings: { OPENAI_COMPATIBLE_BASE_URL: upstream.url, TACKLE_LOG: "silent" },
  });
  let same = 0;
  let compactions = 0;
  let before: CountedRequest | undefined;
  for (turn = 0; turn < TURNS; turn++) {
    const constraint = `Never name the person with badge ${turn}-${turn * 7919}.`;
    if (turn % CONSTRAINTS_EVERY === 0) constraints.push(constraint);
    const wish = turn % CONSTRAINTS_EVERY === 0 ? ` ${constraint}` : "";
    const message = `Please read document ${turn} and tell me what it names.${wish}`;
    let first: CountedRequest | undefined;
    for await (const event of streamTurn(tackle.chat, { sessionId: "long", message })) {
      if (event.type === "context_compacted") compactions++;
      if (event.type === "error") throw new Error(event.error);
      first ??= event.type === "tool_call_start" ? upstream.last() : undefined;
    }
    const last = upstream.last();
    // Everything that the turn before has sent is the beginning of what this one sends.
    if (before?.texts.every((text, index) => first?.texts[index] === text && last?.texts[index] === text))
      same++;
    before = last;
    if (turn % 100 === 99) process.stderr.write(`  ${turn + 1} turns\n`);
  }
  const orphans = upstream.orphans();
  const refused = upstream.refused.length;
  await tackle.close();
  await upstream.close();
  return { over: refused, refused, orphans, missing, same, compactions, largest };
}

/** Measures what is decided before a request of a long session whose results are mostly left out. */
function decide(): { median: number; worst: number } {
  const view = { pruned: { messageId: `m${MESSAGES - 40}`, part: 0 } };
  const times: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    // Each turn loads its messages again.
    const messages = Array.from({ length: MESSAGES }, (_, index) => messageAt(index));
    const from = process.cpuUsage();
    project(messages, view, WINDOW);
    const { user, system } = process.cpuUsage(from);
    times.push((user + system) / 1000);
  }
  const sorted = times.slice(WARM_UP).sort((left, right) => left - right);
  return { median: sorted[Math.floor(sorted.length / 2)] ?? 0, worst: sorted.at(-1) ?? 0 };
}

const texts = new Map<number, string>();

function messageAt(index: number): Message {
  const id = `m${index}`;
  if (index % 2 === 0) return { id, role: "user", parts: [{ type: "text", text: `Question ${index}?` }] };
  const output = texts.get(index) ?? prose(12_000, index);
  texts.set(index, output);
  const call = { type: "tool_call" as const, id: `c${index}`, name: "read_document", arguments: "{}" };
  const result = { type: "tool_result" as const, toolCallId: `c${index}`, toolName: "read_document" };
  return {
    id,
    role: "assistant",
    parts: [call, { ...result, success: true, output, trust: "untrusted" }, { type: "text", text: "Done." }],
  };
}
