import { afterEach, expect, it } from "vitest";
import type { ChatEvent } from "../src/protocol/events.ts";
import { reduceAll } from "../src/protocol/reduce.ts";
import { startCountingUpstream } from "../src/sim/testing/counting-upstream.ts";
import { type OwnProcess, startOwnServer, temporaryFolder } from "./support/server.ts";
import { chat, eventsOf, firstEvent, postChat, readFrames } from "./support/sse.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const ANSWER = "This answer comes slowly, word by word, so that there is time to stop the server.";
interface Pace {
  gapMs: number;
  chunkSize: "word";
}
const SLOW: Pace = { gapMs: 150, chunkSize: "word" };
const TURNS = 5;
const text = (turn: number) => `${turn}: ${"alpha beta gamma delta epsilon zeta eta theta ".repeat(90)}`;

/** A session that outgrows its model's window with its next turn, on a server that can be killed. */
async function start({ firstSummary = SLOW }: { firstSummary?: Pace } = {}) {
  let summed = 0;
  const upstream = await startCountingUpstream({
    window: 9_200,
    answer: ({ isSummary, messages }) => {
      if (isSummary)
        return {
          text: "## Goal\nTalk about letters.\n## Done\nMuch was said.",
          ...(summed++ === 0 ? firstSummary : SLOW),
        };
      const asked = messages.at(-1)?.content ?? "";
      return asked.includes("Finally") ? { text: ANSWER, ...SLOW } : { text: text(messages.length) };
    },
  });
  const folder = temporaryFolder();
  const open = () =>
    startOwnServer(folder.path, {
      OPENAI_COMPATIBLE_BASE_URL: upstream.url,
      TACKLE_MODEL: "openai-compatible/m",
      TACKLE_TITLE_MODEL: "off",
      TACKLE_LEASE_MS: "1000",
    });
  let server: OwnProcess = await open();
  closing.push(upstream.close, folder.remove, () => server.stop());
  for (let turn = 0; turn < TURNS; turn++)
    await chat(server.url, { sessionId: "one", message: `Question ${turn}. My badge is ${turn}-XQ.` });
  const summaries = () => upstream.requests.filter(({ isSummary }) => isSummary).length;
  expect(summaries()).toBe(0);

  /** Asks for the last answer, kills the server at an event, and returns all events of the run from the next one. */
  const askAndKill = async (when: (data: string) => boolean): Promise<ChatEvent[]> => {
    const response = await postChat(server.url, { sessionId: "one", message: "Finally, tell me all." });
    const { runId } = firstEvent(eventsOf(await readFrames(response, ({ data }) => !when(data))), "session");
    // That it is being written is told before the model is asked.
    await expect.poll(summaries).toBe(1);
    await server.kill();
    server = await open();
    const frames = await readFrames(await fetch(`${server.url}/runs/${runId}/events`));
    return eventsOf(frames);
  };
  const next = () => chat(server.url, { sessionId: "one", message: "One more." });
  return { upstream, summaries, askAndKill, next };
}

const compactions = (events: ChatEvent[]) => events.filter(({ type }) => type === "context_compacted").length;

it("a process killed while a summary is written leaves a run that the next one finishes", async () => {
  // It is still being written when the server is killed, however long that takes.
  const { upstream, summaries, askAndKill } = await start({ firstSummary: { ...SLOW, gapMs: 10_000 } });
  const events = await askAndKill((data) => data.includes("Summarizing older messages"));
  expect(reduceAll(events)).toMatchObject({ finishReason: "stop", text: ANSWER });
  expect(compactions(events)).toBe(1);
  expect(summaries()).toBeLessThanOrEqual(2);
  expect(upstream.last()?.texts.join("\n")).toContain("My badge is 0-XQ.");
  expect(upstream.refused).toHaveLength(0);
});

it("a summary that was written before the process was killed is neither lost nor asked for again", async () => {
  const { upstream, summaries, askAndKill, next } = await start();
  const events = await askAndKill((data) => data.includes('"type":"context_compacted"'));
  expect(reduceAll(events)).toMatchObject({ finishReason: "stop", text: ANSWER });
  expect(compactions(events)).toBe(1);
  expect(summaries()).toBe(1);
  const sent = upstream.last()?.texts ?? [];
  expect(compactions(await next())).toBe(0);
  expect(upstream.last()?.texts.slice(0, sent.length)).toEqual(sent);
  expect(summaries()).toBe(1);
});
