import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createTackle, defineTool, streamTurn } from "../src/index.ts";
import { situationOf } from "../src/loop/situation.ts";
import type { ChatEvent, EventOf } from "../src/protocol/events.ts";
import { emptyFolder } from "../src/runs/testing/tackle.ts";
import {
  type CountedRequest,
  type CountingOptions,
  startCountingUpstream,
} from "../src/sim/testing/counting-upstream.ts";
import { errorTurn } from "../src/sim/turns.ts";
import { isLong } from "./support/long.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda omicron sigma upsilon".split(
  " ",
);

/** Returns a text of about this many characters that differs by seed. */
function prose(characters: number, seed: number): string {
  let text = "";
  for (let at = seed; text.length < characters; at += 7) text += `${WORDS[at % WORDS.length]} ${at % 97} `;
  return text;
}

const read = defineTool({
  name: "read_page",
  description: "Reads a page.",
  effect: "read",
  trust: "untrusted",
  retry: "pure",
  input: z.object({ page: z.number(), size: z.number() }),
  run: ({ page, size }) => `Page ${page}.\n${prose(size, page)}`,
});

async function start(options: CountingOptions & { settings?: Record<string, string> }) {
  const upstream = await startCountingUpstream(options);
  closing.push(upstream.close);
  const tackle = await createTackle({
    dataDir: await emptyFolder(),
    model: "openai-compatible/m",
    tools: [read],
    settings: {
      OPENAI_COMPATIBLE_BASE_URL: upstream.url,
      TACKLE_MAX_ITERATIONS: "500",
      TACKLE_MAX_TOOL_CALLS: "500",
      TACKLE_LOG: "silent",
      ...options.settings,
    },
  });
  closing.push(() => tackle.close());
  return { upstream, tackle };
}

async function turn(tackle: Awaited<ReturnType<typeof start>>["tackle"], message: string, sessionId = "one") {
  const events: ChatEvent[] = [];
  for await (const event of streamTurn(tackle.chat, { sessionId, message })) events.push(event);
  return events;
}

function ofType<Type extends ChatEvent["type"]>(events: ChatEvent[], type: Type): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

const resultsIn = ({ messages }: CountedRequest) => messages.filter(({ role }) => role === "tool").length;
const SUMMARY = "## Goal\nRead all pages.\n## Done\nSome pages were read.";

/** A model that reads so many pages in one run, then says that it is done. */
function readsPages(count: number, size: number, perStep = 1) {
  let step = 0;
  return (request: CountedRequest) => {
    if (request.isSummary) return { text: SUMMARY };
    step++;
    if (step > count) return { text: "All pages are read." };
    const calls = Array.from({ length: perStep }, (_, at) => ({
      name: "read_page",
      arguments: { page: step * perStep + at, size },
    }));
    return { calls };
  };
}

describe("one long run", () => {
  const steps = isLong ? 200 : 60;
  it(`finishes ${steps} steps of 20 kB on a window of 32k`, async () => {
    const { upstream, tackle } = await start({ window: 32_768, answer: readsPages(steps, 20_000) });
    const events = await turn(tackle, "Read the pages. My code word is QUASAR-77. Never write to disk.");
    expect(ofType(events, "done")[0]).toMatchObject({ finishReason: "stop", toolCalls: steps });
    expect(upstream.refused).toHaveLength(0);
    expect(upstream.orphans()).toBe(0);
    const last = upstream.requests.at(-1)?.texts.join("\n") ?? "";
    expect(last).toContain("QUASAR-77");
    expect(last).toContain("Never write to disk.");
    expect(ofType(events, "context_compacted").length).toBeGreaterThan(3);
    const fill = ofType(events, "usage").at(-1);
    expect(fill?.contextWindow).toBe(32_768);
    expect(fill?.contextTokens).toBeLessThan(32_768);
  });

  it("sends the same beginning from step to step, except after a change that it reports", async () => {
    const { upstream, tackle } = await start({ window: 32_768, answer: readsPages(40, 20_000) });
    const events = await turn(tackle, "Read the pages.");
    const asked = upstream.requests.filter(({ isSummary }) => !isSummary);
    let rewritten = 0;
    for (const [at, request] of asked.entries()) {
      const before = asked[at - 1];
      if (!before) continue;
      const same = before.texts.every((text, index) => request.texts[index] === text);
      if (!same) rewritten++;
    }
    expect(rewritten).toBe(ofType(events, "context_compacted").length);
    expect(rewritten).toBeLessThan(15);
  });

  it("fits many results of one step", async () => {
    const { upstream, tackle } = await start({ window: 16_384, answer: readsPages(1, 60_000, 20) });
    const events = await turn(tackle, "Read the pages.");
    expect(ofType(events, "done")[0]).toMatchObject({ finishReason: "stop" });
    expect(upstream.refused).toHaveLength(0);
    expect(resultsIn(upstream.requests.at(-1) as CountedRequest)).toBe(20);
  });
});

describe("a vendor that finds a request too long", () => {
  const refusals: [string, NonNullable<CountingOptions["refuse"]>][] = [
    [
      "OpenAI",
      (n, w) =>
        refusal(
          400,
          `This model's maximum context length is ${w} tokens. However, your messages resulted in ${n} tokens.`,
        ),
    ],
    ["Anthropic", (n, w) => refusal(400, `prompt is too long: ${n} tokens > ${w} maximum`)],
    [
      "Gemini",
      (n, w) =>
        refusal(400, `The input token count (${n}) exceeds the maximum number of tokens allowed (${w}).`),
    ],
    ["Z.ai", () => errorTurn(400, { message: "Prompt exceeds max length", code: "1261" })],
    [
      "Kimi",
      (n, w) =>
        refusal(400, `Invalid request: Your request exceeded model token limit: ${w} (requested: ${n})`),
    ],
    ["Cerebras", () => ({ status: 400, contentType: "text/plain", frames: [""] })],
    [
      "llama.cpp",
      (n, w) =>
        errorTurn(400, {
          body: {
            error: {
              code: 400,
              message: "the request exceeds the available context size",
              type: "exceed_context_size_error",
              n_prompt_tokens: n,
              n_ctx: w,
            },
          },
        }),
    ],
  ];
  function refusal(status: number, message: string) {
    return errorTurn(status, { message, type: "invalid_request_error" });
  }

  it.each(refusals)("is asked again with less in the middle of a run: %s", async (_, refuse) => {
    const { upstream, tackle } = await start({
      window: 24_000,
      announced: false,
      answer: readsPages(12, 12_000),
      refuse,
    });
    const events = await turn(tackle, "Read the pages.");
    expect(ofType(events, "error")).toEqual([]);
    expect(ofType(events, "done")[0]).toMatchObject({ finishReason: "stop", toolCalls: 12 });
    expect(upstream.refused.length).toBeGreaterThan(0);
    const [compacted] = ofType(events, "context_compacted");
    expect(compacted?.reason).toBe("overflow");
    // Each time, at most two requests were in vain.
    const overflows = ofType(events, "context_compacted").filter(
      ({ reason }) => reason === "overflow",
    ).length;
    expect(upstream.refused.length).toBeLessThanOrEqual(overflows);
    expect(overflows).toBeLessThanOrEqual(2);
  });

  it("passes the error on where the client owns the history", async () => {
    const { upstream, tackle } = await start({ window: 8_000, answer: readsPages(0, 0) });
    const events: ChatEvent[] = [];
    const messages = [
      { role: "user" as const, content: prose(60_000, 1) },
      { role: "user" as const, content: "Hi" },
    ];
    for await (const event of streamTurn(tackle.chat, { messages })) events.push(event);
    expect(ofType(events, "error")[0]?.code).toBe("CONTEXT_TOO_LARGE");
    expect(ofType(events, "context_compacted")).toEqual([]);
    expect(upstream.refused).toHaveLength(1);
  });
});

it("says so if a message alone is longer than the window, and asks for no summary in vain", async () => {
  const answer = ({ isSummary }: CountedRequest) => ({ text: isSummary ? SUMMARY : "Fine." });
  const { upstream, tackle } = await start({ window: 8_000, answer });
  await turn(tackle, "Hello.");
  const events = await turn(tackle, prose(60_000, 1));
  expect(ofType(events, "warning")[0]?.code).toBe("MESSAGE_TOO_LONG");
  expect(ofType(events, "warning")[0]?.message).toMatch(/of the \d+ tokens/);
  expect(ofType(events, "error")[0]?.code).toBe("CONTEXT_TOO_LARGE");
  expect(upstream.refused).toHaveLength(1);
  expect(upstream.requests).toHaveLength(1);
  // The next message gets an answer again.
  expect(ofType(await turn(tackle, "And now?"), "done")[0]).toMatchObject({ finishReason: "stop" });
});

describe("an answer that is cut", () => {
  const FIRST = "The first half of the answer ends in the middle of";
  const REST = " a sentence, and the second half ends here.";

  /** A model that says much, then is cut by its vendor, then goes on. */
  async function cutOff(finishReason: string, window: number, length: number) {
    let cut = 0;
    const { upstream, tackle } = await start({
      window,
      answer: ({ isSummary, texts }) => {
        if (isSummary) return { text: SUMMARY };
        if (!texts.at(-1)?.includes("Go on and on") && cut === 0) return { text: prose(4_000, texts.length) };
        cut++;
        return cut === 1 ? { text: `${prose(length, 1)}${FIRST}`, finishReason } : { text: REST };
      },
    });
    for (const number of [1, 2, 3, 4]) await turn(tackle, `Question ${number}.`);
    const events = await turn(tackle, "Go on and on.");
    const answer = (await tackle.chat.messages("one")).at(-1);
    return { upstream, events, answer };
  }

  it.each(["length", "model_context_window_exceeded"])(
    "goes on where it was, with room in the window, if a full window cut it: %s",
    async (finishReason) => {
      const { upstream, events, answer } = await cutOff(finishReason, 10_500, 15_000);
      expect(ofType(events, "done")[0]).toMatchObject({ finishReason: "stop" });
      expect(ofType(events, "context_compacted").map(({ reason }) => reason)).toContain("overflow");
      expect(ofType(events, "warning")).toEqual([]);
      expect(answer?.content).toBe(`${prose(15_000, 1)}${FIRST}${REST}`);
      expect(upstream.refused).toHaveLength(0);
    },
  );

  it("goes on if the vendor says that the window is full, though it should not be", async () => {
    const { events, answer } = await cutOff("model_context_window_exceeded", 40_000, 2_000);
    expect(ofType(events, "done")[0]).toMatchObject({ finishReason: "stop" });
    expect(answer?.content).toBe(`${prose(2_000, 1)}${FIRST}${REST}`);
  });

  it("ends there, and says so, if the model may not write more", async () => {
    const { events, answer } = await cutOff("length", 40_000, 2_000);
    expect(ofType(events, "done")[0]).toMatchObject({ finishReason: "length" });
    expect(ofType(events, "warning").map(({ code }) => code)).toEqual(["OUTPUT_CUT"]);
    expect(ofType(events, "context_compacted")).toEqual([]);
    expect(answer?.content).toMatch(new RegExp(`${FIRST}$`));
  });
});

describe("many turns", () => {
  it("keeps the person's words and the newest turns, summarizes the rest, and sends stable beginnings", async () => {
    let asked = 0;
    const { upstream, tackle } = await start({
      window: 16_000,
      answer: ({ isSummary }) => (isSummary ? { text: SUMMARY } : { text: prose(2_000, asked++) }),
    });
    const rewrites: number[] = [];
    let before: CountedRequest | undefined;
    for (let number = 0; number < 60; number++) {
      const rule = number === 3 ? " Always spell the name as Zoë-Marlène." : "";
      const events = await turn(tackle, `Question ${number} about ${prose(300, number)}.${rule}`);
      const request = upstream.requests.findLast(({ isSummary }) => !isSummary);
      const same = before?.texts.every((text, index) => request?.texts[index] === text) ?? true;
      if (!same) rewrites.push(number);
      expect(ofType(events, "context_compacted").length, `turn ${number}`).toBe(same ? 0 : 1);
      before = request;
    }
    expect(rewrites.length).toBeGreaterThan(1);
    expect(rewrites.length).toBeLessThan(12);
    expect(upstream.refused).toHaveLength(0);
    const sent = before?.texts.join("\n") ?? "";
    expect(sent).toContain("Always spell the name as Zoë-Marlène.");
    expect(sent).toContain("Question 59");
    expect(sent).toContain("## Goal");
    // The transcript still has everything.
    const transcript = await tackle.chat.messages("one");
    expect(transcript).toHaveLength(120);
    expect(transcript[0]?.content).toContain("Question 0");
  });

  it("does without a model if summaries are off", async () => {
    const { upstream, tackle } = await start({
      window: 8_000,
      settings: { TACKLE_COMPACT_MODEL: "off" },
      answer: () => ({ text: prose(2_000, 1) }),
    });
    for (let number = 0; number < 12; number++)
      await turn(tackle, `Question ${number}. ${number === 0 ? "The key is NOVA-9." : ""}`);
    expect(upstream.requests.some(({ isSummary }) => isSummary)).toBe(false);
    expect(upstream.refused).toHaveLength(0);
    expect(upstream.requests.at(-1)?.texts.join("\n")).toContain("The key is NOVA-9.");
  });
});

describe("the request for a summary", () => {
  /** A model that says much before each page that it reads, which cannot be pruned. */
  function talkative(whenSummarizing: (request: CountedRequest) => ReturnType<CountingOptions["answer"]>) {
    let step = 0;
    return (request: CountedRequest) => {
      if (request.isSummary) return whenSummarizing(request);
      if (++step > 12) return { text: "All pages are read." };
      const calls = [{ name: "read_page", arguments: { page: step, size: 1_000 } }];
      return { text: prose(4_000, step), calls };
    };
  }
  const writes = () => ({ text: SUMMARY });

  it("begins like the request before it, in the middle of a run", async () => {
    const { upstream, tackle } = await start({ window: 16_384, answer: talkative(writes) });
    await turn(tackle, "Read the pages.");
    const at = upstream.requests.findIndex(({ isSummary }) => isSummary);
    const before = upstream.requests[at - 1] ?? expect.fail();
    const summary = upstream.requests[at] ?? expect.fail();
    expect(summary.texts.slice(0, before.texts.length)).toEqual(before.texts);
    expect(summary.tools).toBe(before.tools);
    expect(summary.messages.at(-1)?.content).toMatch(/^Summarize/);
    expect(upstream.refused).toHaveLength(0);
  });

  it("tells the conversation as a text if the model answers with a call", async () => {
    const call = { calls: [{ name: "read_page", arguments: { page: 1, size: 10 } }] };
    const answer = talkative(({ tools }) => (tools === "" ? writes() : call));
    const { upstream, tackle } = await start({ window: 16_384, answer });
    const events = await turn(tackle, "Read the pages.");
    expect(ofType(events, "done")[0]).toMatchObject({ finishReason: "stop", toolCalls: 12 });
    const asked = upstream.requests.filter(({ isSummary }) => isSummary).map(({ tools }) => tools !== "");
    expect(asked.slice(0, 2)).toEqual([true, false]);
    expect(upstream.last()?.texts.join("\n")).toContain("## Goal");
  });

  it("tells the conversation as a text if another model writes summaries", async () => {
    const { upstream, tackle } = await start({
      window: 16_384,
      answer: talkative(writes),
      settings: { TACKLE_COMPACT_MODEL: "openai-compatible/other" },
    });
    await turn(tackle, "Read the pages.");
    const summaries = upstream.requests.filter(({ isSummary }) => isSummary);
    expect(summaries.length).toBeGreaterThan(0);
    expect(summaries.every(({ tools, texts }) => tools === "" && texts.length === 2)).toBe(true);
  });
});

describe("a session that was summarized", () => {
  async function summarized() {
    let asked = 0;
    const started = await start({
      window: 100_000,
      answer: (request) => {
        if (request.isSummary) return { text: SUMMARY };
        if (request.messages.at(-1)?.content.includes("Read page"))
          return { calls: [{ name: "read_page", arguments: { page: 1, size: 2_000 } }] };
        return { text: `Answer ${asked++}.` };
      },
    });
    const { chat } = started.tackle;
    await turn(started.tackle, "My nonce is 8F3K-22. Read page 1.");
    await turn(started.tackle, "Second question.");
    await turn(started.tackle, "Third question.");
    return { ...started, chat, last: () => started.upstream.last()?.texts.join("\n") ?? "" };
  }

  it("is sent as its summary and the newest turn, once the person asks for it", async () => {
    const { chat, tackle, last, upstream } = await summarized();
    const done = await chat.compact("one", { focus: "the nonce" });
    expect(done).toMatchObject({ messages: 4, reason: "asked" });
    expect(upstream.requests.at(-1)?.texts.at(-1)).toContain("the nonce");
    expect(await chat.compact("one")).toMatchObject({ messages: 0 });
    await turn(tackle, "Fourth question.");
    expect(last()).toContain("8F3K-22");
    expect(last()).toContain("## Goal");
    expect(last()).not.toContain("Second answer");
    expect(last()).not.toContain('"tool_calls"');
    expect(last()).toContain("Third question.");
    const messages = await chat.messages("one");
    expect(messages.map(({ compacted }) => compacted?.messages)).toEqual([
      ...Array(5).fill(undefined),
      4,
      undefined,
      undefined,
    ]);
    const [summary, ...others] = await chat.summaries("one");
    const { tokensBefore, tokensAfter } = done;
    expect(summary).toMatchObject({ messages: 4, reason: "asked", tokensBefore, tokensAfter });
    // It is what the model is sent, without what that tells the model about itself.
    expect(summary?.text).toMatch(/^## Goal\n/);
    expect(summary?.text).toContain("8F3K-22");
    expect(summary?.text).not.toContain("conversation_summary");
    expect(others).toEqual([]);
    expect(await chat.exportSession("one", "md")).toContain(
      "> 4 older messages were shortened for the model",
    );
    expect(await chat.exportSession("one", "json")).toContain('"compacted"');
  });

  it("has everything again on a branch from before the summary", async () => {
    const { chat, tackle, last } = await summarized();
    const [first, , second] = await chat.messages("one");
    await chat.compact("one");
    for await (const _ of streamTurn(tackle.chat, {
      sessionId: "one",
      message: "Another second question.",
      parentId: second?.parentId,
    }));
    expect(last()).not.toContain("conversation_summary");
    expect(last()).toContain("Page 1.");
    await chat.showMessage("one", second?.id ?? "");
    await turn(tackle, "Back again.");
    expect(last()).toContain("conversation_summary");
    expect(first?.content).toContain("8F3K-22");
  });

  it("stays tainted by what the summary stands for, and takes nothing in it for the person's words", async () => {
    const { chat, tackle } = await summarized();
    await chat.compact("one");
    const stored = await tackle.internals.store.getContext((await chat.getSession("one")).id);
    const { taint, quotes, notes } = stored?.view.summary ?? expect.fail();
    expect(taint.outside).toEqual(["the tool read_page"]);
    expect(taint.privateReads).toEqual(["the tool read_page"]);
    expect(quotes.map(({ text }) => text)).toContain("My nonce is 8F3K-22.");
    const situation = situationOf([], [], [], stored?.view.summary);
    expect(situation.outside).toEqual(["the tool read_page"]);
    expect(situation.personTexts.join("\n")).not.toContain(notes);
  });

  it("is summarized after what the model was sent last, byte for byte, which its vendor has in the cache", async () => {
    const { chat, upstream } = await summarized();
    const before = upstream.last() ?? expect.fail();
    await chat.compact("one");
    const summary = upstream.requests.at(-1) ?? expect.fail();
    expect(summary.isSummary).toBe(true);
    expect(summary.texts.slice(0, before.texts.length)).toEqual(before.texts);
    expect(summary.tools).toBe(before.tools);
    expect(summary.messages.slice(before.texts.length).map(({ role }) => role)).toEqual([
      "assistant",
      "user",
    ]);
  });

  it("shows what its summary has cost", async () => {
    const { chat, tackle } = await summarized();
    const { store } = tackle.internals;
    const tokens = async () => {
      const { slices } = await store.readUsage({ windowMs: 60_000 });
      return slices.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
    };
    const before = await tokens();
    const { cost } = await chat.compact("one");
    expect(cost).toMatchObject({ model: "openai-compatible/m" });
    expect(cost?.inputTokens).toBeGreaterThan(500);
    expect(await tokens()).toBe(before + (cost?.inputTokens ?? 0));
    expect((await chat.messages("one")).at(-1)?.compacted?.cost).toEqual(cost);
  });

  it("cannot be summarized while an answer is written", async () => {
    const { chat } = await summarized();
    const { runId } = await chat.send({ sessionId: "one", message: "Read page 2." });
    await expect(chat.compact("one")).rejects.toMatchObject({ code: "CONFLICT" });
    for await (const _ of chat.follow(runId));
  });
});
