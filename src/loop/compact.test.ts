import { describe, expect, it } from "vitest";
import { Failure } from "../protocol/failure.ts";
import { type AskChatModel, type CompactOptions, compact } from "./compact.ts";
import { renderSummary, type Summarize } from "./summary.ts";
import { answers, asks, prose, summaryBefore, text } from "./testing/conversation.ts";

const NOTES = "## Goal\nTo read every page of the book.";
const usage = { inputTokens: 100, outputTokens: 10 };
const wrote = (said: string, model?: string) => ({ text: said, usage, ...(model ? { model } : {}) });
const refused = (code: Failure["code"] = "UPSTREAM_ERROR") => new Failure(code, `No: ${code}.`);
const noSummary = {
  code: "UPSTREAM_ERROR",
  publicMessage: "The model wrote no summary. Try again, or set TACKLE_COMPACT_MODEL.",
};

const history = [asks("m1", "Read the book."), answers("m2", text("I will.")), asks("m3")];

/** Compacts the first turn, with a model that answers with one of these after the other. */
async function compacted(
  replies: (ReturnType<typeof wrote> | Failure)[],
  change: Partial<CompactOptions> = {},
) {
  const questions: Parameters<Summarize>[0][] = [];
  const instructions: string[] = [];
  const reply = async () => {
    const next = replies[questions.length + instructions.length - 1] ?? expect.fail();
    if (next instanceof Failure) throw next;
    return next;
  };
  const summarize: Summarize = async (question) => {
    questions.push(question);
    return reply();
  };
  const askChatModel: AskChatModel = async (instruction) => {
    instructions.push(instruction);
    return reply();
  };
  const made = await compact({
    history,
    cut: { before: { messageId: "m3", part: 0 }, from: "m3" },
    earlier: undefined,
    window: 10_000,
    signal: new AbortController().signal,
    labels: () => [],
    ...(replies.length > 0 ? { summarize } : {}),
    ...change,
    ...(change.askChatModel ? { askChatModel } : {}),
  });
  return { made, questions, instructions };
}

const withChatModel = { askChatModel: async () => wrote("") };

describe("a summary", () => {
  it("is what a model wrote about the replaced messages, with what was collected", async () => {
    const { made, questions } = await compacted([wrote(`  ${NOTES}\n`, "test/small")], { focus: "the end" });
    const { summary, ...rest } = made;
    expect(rest).toEqual({ replaced: 2, written: true, usage, model: "test/small" });
    expect(summary).toMatchObject({
      before: { messageId: "m3", part: 0 },
      from: "m3",
      notes: NOTES,
      quotes: [{ text: "Read the book.", rank: 1 }],
      messages: 2,
    });
    expect(summary.text).toBe(renderSummary(summary, NOTES));
    expect(questions).toHaveLength(1);
    expect(questions[0]?.prompt).toContain("[person] Read the book.\n[assistant] I will.\n");
    expect(questions[0]?.system).toContain("kept above all: the end");
  });

  it("has only what was collected where no model is asked", async () => {
    const { made } = await compacted([]);
    const { summary, ...rest } = made;
    expect(rest).toEqual({ replaced: 2, written: false });
    expect(summary.notes).toBe("");
    expect(summary.text).toContain("No summary was written.");
  });

  it("keeps the notes of the earlier one if no model writes new ones", async () => {
    const earlier = summaryBefore({ messageId: "m1", part: 0 }, "m1", { notes: "Earlier notes." });
    expect((await compacted([], { earlier })).made.summary.notes).toBe("Earlier notes.");
    const { made, questions } = await compacted([wrote(NOTES)], { earlier });
    expect(made.summary.notes).toBe(NOTES);
    expect(questions[0]?.prompt).toContain("Earlier notes.");
  });

  it("is suspicious if its notes read like instructions", async () => {
    const seen: string[] = [];
    const labels = (found: string[]) => ({
      labels: (notes: string) => {
        seen.push(notes);
        return found;
      },
    });
    const taintWith = async (found: string[], suspicious: string[] = []) => {
      const taint = { outside: ["web"], workspace: [], privateReads: [], suspicious };
      const earlier = summaryBefore({ messageId: "m1", part: 0 }, "m1", { taint });
      return (await compacted([wrote(NOTES)], { ...labels(found), earlier })).made.summary.taint;
    };
    expect(await taintWith(["override"])).toEqual({
      outside: ["web"],
      workspace: [],
      privateReads: [],
      suspicious: ["summary"],
    });
    expect(await taintWith(["override"], ["web", "summary"])).toMatchObject({
      suspicious: ["web", "summary"],
    });
    expect(await taintWith([])).toMatchObject({ suspicious: [] });
    expect(seen).toEqual([NOTES, NOTES, NOTES]);
  });
});

describe("a model that fails", () => {
  it("is asked once, and the failure is told", async () => {
    const { made, questions } = await compacted([refused()]);
    expect(questions).toHaveLength(1);
    expect(made).toMatchObject({ written: false, failure: { publicMessage: "No: UPSTREAM_ERROR." } });
    expect(made.usage).toEqual({ inputTokens: 0, outputTokens: 0 });
    expect(made.model).toBeUndefined();
  });

  it("is asked once if it writes nothing, and what that used counts", async () => {
    const { made, questions } = await compacted([wrote("Too short.", "test/small")]);
    expect(questions).toHaveLength(1);
    expect(made).toMatchObject({ written: false, usage, model: "test/small", failure: noSummary });
    expect(made.summary.notes).toBe("");
  });

  it("is asked with less if the question is too long for it, three times at most", async () => {
    const long = [
      asks("m1", "word. ".repeat(20_000)),
      answers("m2", ...Array(300).fill(text(prose(100)))),
      asks("m3"),
    ];
    const tooLong = refused("CONTEXT_TOO_LARGE");
    const { made, questions } = await compacted([tooLong, tooLong, wrote(NOTES)], { history: long });
    expect(made).toMatchObject({ written: true, summary: { notes: NOTES } });
    expect(made.failure).toBeUndefined();
    const [first = 0, second = 0, third = 0] = questions.map(({ prompt }) => prompt.length);
    // Half of the window, then 15 and 4 percent of it; a token of this text has about 4 to 5 characters.
    expect(first).toBeGreaterThan(5_000 * 4);
    expect(first).toBeLessThan(5_000 * 6);
    expect(second).toBeLessThan(1_500 * 6);
    expect(third).toBeLessThan(400 * 6);
    const given = await compacted([tooLong, tooLong, tooLong, wrote(NOTES)], { history: long });
    expect(given.questions).toHaveLength(3);
    expect(given.made).toMatchObject({ written: false, failure: { code: "CONTEXT_TOO_LARGE" } });
  });

  it("is never sent a transcript of more than 60,000 tokens", async () => {
    const long = [
      asks("m1", "word. ".repeat(20_000)),
      answers("m2", ...Array(2_000).fill(text(prose(100)))),
      asks("m3"),
    ];
    const { questions } = await compacted([wrote(NOTES)], { history: long, window: 1_000_000 });
    expect(questions[0]?.prompt.length).toBeLessThan(60_000 * 6);
    expect(questions[0]?.prompt).toContain("entries left out");
  });
});

describe("the model of the conversation", () => {
  it("is asked in place first, and not again if it writes", async () => {
    const { made, questions, instructions } = await compacted([wrote(NOTES, "test/chat")], withChatModel);
    expect(made).toMatchObject({ written: true, usage, model: "test/chat" });
    expect(questions).toEqual([]);
    expect(instructions).toHaveLength(1);
    expect(instructions[0]).toContain("Write at most 750 words.");
  });

  it.each([
    ["answers with a call", wrote("")],
    ["fails", refused()],
  ])("is told the conversation as a text if it %s", async (_, first) => {
    const { made, questions, instructions } = await compacted([first, wrote(NOTES)], withChatModel);
    expect(made).toMatchObject({ written: true, summary: { notes: NOTES } });
    expect(made.failure).toBeUndefined();
    expect([instructions.length, questions.length]).toEqual([1, 1]);
    const asked = first instanceof Failure ? 1 : 2;
    expect(made.usage).toEqual({ inputTokens: 100 * asked, outputTokens: 10 * asked });
  });

  it("is not asked again once the person has stopped the run", async () => {
    const stop = new AbortController();
    const labels = () => [];
    const summarize = () => Promise.reject(refused());
    const made = await compact({
      history,
      cut: { before: { messageId: "m3", part: 0 }, from: "m3" },
      earlier: undefined,
      window: 10_000,
      signal: stop.signal,
      labels,
      summarize,
      askChatModel: async (_instruction, signal) => {
        stop.abort();
        expect(signal.aborted).toBe(true);
        throw new Failure("CANCELLED", "Stopped.");
      },
    });
    expect(made.failure).toMatchObject({ code: "CANCELLED" });
  });
});
