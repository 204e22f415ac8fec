import { expect, it } from "vitest";
import { type ReasoningEvent, ReasoningTracker } from "./reasoning.ts";

/** The steps of a text that arrives in one piece. */
function stepsIn(text: string) {
  const tracker = new ReasoningTracker(0, 0);
  const events = [...tracker.push(text), ...tracker.complete(0)];
  return stepsOf(events).map(({ step }) => step);
}

function stepsOf(events: ReasoningEvent[]) {
  return events.filter((event) => event.type === "reasoning_step");
}

it("finds steps in headings, bold lines and numbered points, with the items below them", () => {
  expect(
    stepsIn(
      "Preface\n- of no step\n# Read the file #\n- one\n* two\n• three\nplain\n**Compare them**:\n  1) Write **it** down\n12. Bake a cake",
    ),
  ).toEqual([
    { phase: "research", title: "Read the file", items: ["one", "two", "three"] },
    { phase: "analysis", title: "Compare them", items: [] },
    { phase: "solution", title: "Write it down", items: [] },
    { phase: "custom", title: "Bake a cake", items: [] },
  ]);
});

it.each([
  "#no space",
  "**bold** and more",
  "123. too many",
  "1.no space",
  "plain text",
  "Hm.",
  '{"city": "Ghent", "days": 3}',
])("%j starts no step", (line) => {
  expect(stepsIn(line)).toEqual([]);
});

it.each(["-no space", "text - text"])("%j is not an item", (line) => {
  expect(stepsIn(`# Plan\n${line}`)).toEqual([{ phase: "solution", title: "Plan", items: [] }]);
});

it("sends each piece at once, a status when a step begins, and the step when the next one begins", () => {
  const tracker = new ReasoningTracker(1_000, 5);
  expect(tracker.push("# Fir").map(({ type }) => type)).toEqual(["reasoning_delta"]);
  expect(tracker.push("st\n- a\n")[1]).toEqual({
    type: "reasoning_status",
    content: "First",
    source: "reasoning",
  });
  const [, first, second] = tracker.push("# Plan it\n");
  expect(second).toMatchObject({ type: "reasoning_status", content: "Plan it", phase: "implementing" });
  expect(first).toEqual({
    type: "reasoning_step",
    step: { phase: "custom", title: "First", items: ["a"] },
    stepIndex: 5,
  });
  expect(tracker.push("# Third")).toHaveLength(1);
  const events = tracker.complete(3_500.4, 42);
  expect(stepsOf(events).map(({ step, stepIndex }) => [step.title, stepIndex])).toEqual([
    ["Plan it", 6],
    ["Third", 7],
  ]);
  expect(events.at(-1)).toMatchObject({
    type: "reasoning_complete",
    reasoning: "# First\n- a\n# Plan it\n# Third",
    reasoningTokens: 42,
    durationMs: 2_500,
  });
});

it("ends without steps or tokens if there are none, and never reports a negative duration", () => {
  const tracker = new ReasoningTracker(100, 0);
  tracker.push("Hm.");
  expect(tracker.complete(50)).toEqual([
    { type: "reasoning_complete", reasoning: "Hm.", steps: [], durationMs: 0 },
  ]);
});

it("limits titles, items and steps", () => {
  const [step] = stepsIn(`# ${"t".repeat(200)}\n${`- ${"i".repeat(200)}\n`.repeat(20)}`);
  expect(step?.title).toHaveLength(120);
  expect(step?.items).toHaveLength(12);
  expect(step?.items[0]).toHaveLength(120);
  expect(stepsIn("# Step\n".repeat(60))).toHaveLength(50);
});
