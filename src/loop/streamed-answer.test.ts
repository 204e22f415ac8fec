import { describe, expect, it } from "vitest";
import { contentDelta, reasoningDelta } from "../protocol/deltas.ts";
import type { ChatEvent } from "../protocol/events.ts";
import type { AssistantPart } from "../protocol/messages.ts";
import type { PartialAnswer } from "./partial-answer.ts";
import { StreamedAnswer } from "./streamed-answer.ts";
import { call } from "./testing/conversation.ts";
import { memoryLog, scriptedModel, turnOver } from "./testing/scripted.ts";

/** What is shown of an answer, after these events of the run. */
function showing(before: ChatEvent[] = [], partial?: PartialAnswer) {
  const log = memoryLog([...before]);
  const { turn } = turnOver(scriptedModel([]).model, { log });
  return { shown: new StreamedAnswer(turn, partial), events: () => log.events.slice(before.length), log };
}

const said = (text: string): AssistantPart => ({ type: "text", text });
const image: AssistantPart = { type: "image", mimeType: "image/png" };
const complete = (reasoning: string, change: object = {}) => ({
  type: "reasoning_complete",
  reasoning,
  steps: [],
  durationMs: 0,
  ...change,
});

describe("an answer", () => {
  it("is shown as it comes, with its reasoning before its text", () => {
    const { shown, events } = showing([contentDelta("Before. ")]);
    expect([shown.isEmpty, shown.hasReasoning]).toEqual([true, false]);
    shown.addReasoning("");
    expect(shown.isEmpty).toBe(true);
    shown.addReasoning("Hm.");
    expect([shown.isEmpty, shown.hasReasoning]).toEqual([false, true]);
    shown.reasoningTokens = 3;
    shown.addText("Yes");
    shown.addText("!");
    expect(shown.text).toBe("Yes!");
    expect(shown.finish([said("Yes!")])).toEqual([said("Yes!")]);
    shown.endReasoning();
    expect(events()).toEqual([
      reasoningDelta("Hm."),
      complete("Hm.", { reasoningTokens: 3 }),
      contentDelta("Yes"),
      contentDelta("!"),
    ]);
  });

  it("waits for the other half of a character", () => {
    const { shown, events } = showing();
    shown.addText("a\ud83d");
    shown.addText("\ude42b");
    shown.addText("c\ud800");
    shown.finish([]);
    expect(events()).toEqual([
      contentDelta("a"),
      contentDelta("🙂b"),
      contentDelta("c"),
      contentDelta("\ud800"),
    ]);
    const other = showing();
    const whole = [contentDelta("\ud7ff"), contentDelta("\udc00")];
    for (const last of ["\ud7ff", "\udc00"]) other.shown.addText(last);
    expect(other.events()).toEqual(whole);
    other.shown.addText("\udbff");
    expect(other.events()).toEqual(whole);
  });

  it("shows what the vendor's own tools did, after the reasoning", () => {
    const { shown, events } = showing();
    const block = { type: "search" };
    shown.addBlock(block);
    shown.addReasoning("Hm.");
    shown.addBlock(block);
    expect(events()).toEqual([
      { ...contentDelta(""), block },
      reasoningDelta("Hm."),
      complete("Hm."),
      { ...contentDelta(""), block },
    ]);
    shown.addText("One");
    shown.breakOff();
    shown.beginAgain();
    shown.addBlock(block);
    expect(events().filter((event) => "block" in event)).toHaveLength(2);
  });

  it("shows how reasoning was signed, once", () => {
    const { shown, events } = showing();
    shown.addSignature({});
    shown.addSignature({ signature: "s" });
    shown.addSignature({ redacted: "r" });
    shown.addSignature({ signature: "s", redacted: "r" });
    const redacted = { ...reasoningDelta(""), redacted: "r" };
    expect(events()).toEqual([{ ...reasoningDelta(""), signature: "s" }, redacted, redacted]);
    shown.addReasoning("Hm.");
    shown.breakOff();
    shown.beginAgain();
    shown.addSignature({ signature: "again" });
    expect(events()).toHaveLength(4);
  });
});

describe("reasoning that led to nothing", () => {
  it("is ended and forgotten, and the next attempt shows its own", () => {
    const { shown, events } = showing();
    shown.addReasoning("Hm.");
    shown.dropReasoning();
    expect(shown.isEmpty).toBe(true);
    shown.addReasoning("Hm, again.");
    shown.endReasoning();
    shown.endReasoning();
    expect(events()).toEqual([
      reasoningDelta("Hm."),
      complete("Hm."),
      reasoningDelta("Hm, again."),
      complete("Hm, again."),
    ]);
  });

  it("is not held against words of the next attempt", () => {
    const { shown, events } = showing();
    shown.addReasoning("Hm.");
    shown.breakOff();
    shown.beginAgain();
    shown.dropReasoning();
    shown.addReasoning("Other.");
    expect(events().at(-1)).toEqual(reasoningDelta("Other."));
  });
});

describe("reasoning that broke off", () => {
  it("goes on piece by piece where the model repeats it, and then as it comes", () => {
    const { shown, events } = showing();
    shown.addReasoning("One two ");
    shown.breakOff();
    shown.beginAgain();
    shown.addReasoning("One ");
    shown.addReasoning("two");
    shown.addReasoning(" three");
    shown.addReasoning(" four");
    expect(events().slice(1)).toEqual([
      { type: "run_continued", reason: "cut" },
      reasoningDelta("three"),
      reasoningDelta(" four"),
    ]);
  });

  it("stays as it was where the model thinks otherwise", () => {
    const { shown, events } = showing();
    shown.addReasoning("One two ");
    shown.breakOff();
    shown.beginAgain();
    shown.addReasoning("One more");
    shown.addReasoning("One two three");
    expect(events()).toHaveLength(1);
    shown.addText("Yes.");
    expect(events().slice(1)).toEqual([
      complete("One two "),
      { type: "run_continued", reason: "cut" },
      contentDelta("Yes."),
    ]);
  });
});

describe("the rest of an answer", () => {
  const broken = (text: string) => {
    const made = showing();
    made.shown.addText(text);
    made.shown.breakOff();
    return made;
  };

  it("has its text at the place of the first one, all in one piece", () => {
    const finished = (...parts: AssistantPart[]) => {
      const { shown } = broken("One two");
      shown.beginAgain();
      shown.addText(" three");
      return shown.finish(parts);
    };
    const whole = said("One two three");
    const metadata = { id: "x" };
    expect(finished(said(" three"))).toEqual([whole]);
    expect(finished()).toEqual([whole]);
    expect(finished(call("a"))).toEqual([whole, call("a")]);
    expect(finished(image)).toEqual([whole, image]);
    expect(finished({ type: "reasoning", text: "Hm." })).toEqual([{ type: "reasoning", text: "Hm." }, whole]);
    expect(finished({ type: "reasoning", text: "Hm." }, call("a"))).toEqual([
      { type: "reasoning", text: "Hm." },
      whole,
      call("a"),
    ]);
    expect(finished(call("a"), { type: "text", text: " three", metadata }, said("more"), call("b"))).toEqual([
      call("a"),
      { ...whole, metadata },
      call("b"),
    ]);
  });

  it("has no text if there is none", () => {
    const { shown } = showing();
    shown.addReasoning("Hm.");
    shown.breakOff();
    shown.beginAgain();
    expect(shown.finish([said(""), call("a")])).toEqual([call("a")]);
  });

  it("is shown at its end where it has to be accepted, and only then", () => {
    const finished = (accept: boolean, ...parts: AssistantPart[]) => {
      const { shown, events } = broken("One two");
      let asked: string | undefined;
      shown.beginAgain((whole) => {
        asked = whole;
        return accept;
      });
      shown.addText(" three");
      shown.addText(" four");
      expect(events()).toEqual([contentDelta("One two")]);
      return { parts: shown.finish(parts), asked, text: shown.text };
    };
    expect(finished(true)).toEqual({
      parts: [said("One two three four")],
      asked: "One two three four",
      text: "One two three four",
    });
    expect(finished(false)).toEqual({ parts: undefined, asked: "One two three four", text: "One two" });
    expect(finished(false, call("a"))).toMatchObject({ asked: undefined, text: "One two three four" });
  });

  it("does not contain what was held back of the attempt before", () => {
    const { shown } = broken("One \ud83d");
    shown.beginAgain();
    shown.addText("two");
    expect(shown.finish([])).toEqual([said("One two")]);
  });

  it("begins with a note that it goes on, even if nothing is added", () => {
    const { shown, events } = broken("One.");
    expect(shown.broken).toBe("cut");
    shown.beginAgain();
    shown.finish([]);
    expect(events().slice(1)).toEqual([{ type: "run_continued", reason: "cut" }]);
    expect(shown.broken).toBeUndefined();
  });
});

describe("an answer that another process began", () => {
  it("goes on behind what was shown of it", () => {
    const { shown, events } = showing([contentDelta("Before. "), contentDelta("One two")], {
      text: "One two",
      tries: 0,
      lost: 0,
    });
    expect([shown.text, shown.isEmpty, shown.broken]).toEqual(["One two", false, "crash"]);
    shown.breakOff();
    expect(shown.broken).toBe("crash");
    shown.beginAgain();
    shown.addText(" three");
    expect(events()).toEqual([{ type: "run_continued", reason: "crash" }, contentDelta(" three")]);
  });

  it("takes up reasoning that had not ended, and leaves alone what had", () => {
    const open = showing([reasoningDelta("One ")], {
      text: "",
      reasoning: { text: "One ", complete: false },
      tries: 0,
      lost: 0,
    });
    expect(open.shown.hasReasoning).toBe(true);
    open.shown.endReasoning();
    expect(open.events()).toEqual([complete("One ")]);
    const closed = showing([reasoningDelta("One ")], {
      text: "",
      reasoning: { text: "One ", complete: true },
      tries: 0,
      lost: 0,
    });
    expect(closed.shown.hasReasoning).toBe(true);
    closed.shown.beginAgain();
    closed.shown.addReasoning("One two");
    closed.shown.endReasoning();
    expect(closed.events()).toEqual([]);
  });
});
