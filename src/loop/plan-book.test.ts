import { expect, it } from "vitest";
import type { StepRecord } from "../protocol/run-records.ts";
import { openPlanBook } from "./plan-book.ts";
import { call, result } from "./testing/conversation.ts";
import { memoryLog, scriptedModel, tool, turnOver } from "./testing/scripted.ts";

const STEPS = [
  { tool: "pay", targets: {}, why: "" },
  { tool: "look", targets: {}, why: "", times: 2 },
];
const plan = { steps: STEPS };
const step = (key: string, value?: unknown, state: StepRecord["state"] = "finished") =>
  ({ key, idempotencyKey: key, startedSeq: 1, state, result: value }) as StepRecord;

function open(steps: StepRecord[] = []) {
  const log = memoryLog([], steps);
  const changed: unknown[] = [];
  log.log.step = (change) => void changed.push(change);
  const { turn } = turnOver(scriptedModel([]).model, { log, tools: [tool("pay")] });
  const book = openPlanBook(turn);
  const isUsedUp = (at: number, callId = "now", id = "p1") =>
    book.before(call(callId)).isUsedUp({ id, ...plan }, at);
  return { book, turn, changed, isUsedUp };
}
const use = (id: string, at: number) => ({ id, step: at });

it("an approved plan holds from then on, once, under the id of the call that proposed it", () => {
  const { book, turn } = open();
  expect(book.before(call("c1"))).toMatchObject({ tools: turn.tools, plans: [] });
  book.ended(result("p1", "ok", { plan }), true);
  book.ended(result("p1", "ok", { plan }), true);
  book.ended(result("c1", "ok"), true);
  book.ended(result("p2", "ok", { plan }), true);
  expect(book.before(call("c2")).plans).toEqual([
    { id: "p1", ...plan },
    { id: "p2", ...plan },
  ]);
});

it("a step is used up by as many other calls as it allows", () => {
  const { book, isUsedUp } = open();
  book.reserve(call("c1"), tool("pay", { retry: "unsafe" }), use("p1", 0));
  expect([isUsedUp(0), isUsedUp(0, "c1"), isUsedUp(1), isUsedUp(0, "now", "p2")]).toEqual([
    true,
    false,
    false,
    false,
  ]);
  book.reserve(call("c2"), tool("look"), use("p1", 1));
  expect(isUsedUp(1)).toBe(false);
  book.reserve(call("c3"), tool("look"), use("p1", 1));
  expect(isUsedUp(1)).toBe(true);
  expect(isUsedUp(7)).toBe(false);
});

it.each([
  ["never ran", false, { retry: "unsafe", success: true, ran: false }],
  ["succeeded", true, { retry: "pure", success: true, ran: true }],
  ["failed and may be repeated", false, { retry: "pure", success: false, ran: true }],
  ["failed and may have had an effect", true, { retry: "unsafe", success: false, ran: true }],
] as const)("a call that %s: its use counts is %s", (_, counts, { retry, success, ran }) => {
  const { book, isUsedUp } = open();
  book.reserve(call("c1"), tool("pay", { retry }), use("p1", 0));
  book.ended(result("c1", "", { success }), ran);
  expect(isUsedUp(0)).toBe(counts);
});

it("a use is written down when its call starts", () => {
  const { book, changed } = open();
  book.started(call("c0"));
  expect(changed).toEqual([]);
  book.reserve(call("c1"), tool("pay", { retry: "unsafe" }), use("p1", 0));
  book.started(call("c1"));
  expect(changed).toEqual([
    { key: "plan:c1", state: "started", idempotencyKey: "run_1:plan:c1" },
    { key: "plan:c1", state: "finished", result: { id: "p1", step: 0, repeatable: false } },
  ]);
});

it("the next owner of a run counts on", () => {
  const used = { id: "p1", step: 0, repeatable: true };
  const failed = step("tool:c1", result("c1", "no", { success: false }));
  expect(open([step("plan:c1", used)]).isUsedUp(0)).toBe(true);
  expect(open([step("plan:c1", used), step("tool:c1", undefined, "started")]).isUsedUp(0)).toBe(true);
  expect(open([step("plan:c1", used), step("tool:c1", result("c1", "ok"))]).isUsedUp(0)).toBe(true);
  expect(open([step("plan:c1", used), failed]).isUsedUp(0)).toBe(false);
  expect(open([step("plan:c1", { ...used, repeatable: false }), failed]).isUsedUp(0)).toBe(true);
  expect(open([step("plan:c1", { ...used, repeatable: "yes" }), failed]).isUsedUp(0)).toBe(true);
  for (const [key, value] of [
    ["tool:c1", used],
    ["plan:c1", undefined],
    ["plan:c1", "p1"],
    ["plan:c1", { ...used, id: 1 }],
    ["plan:c1", { ...used, step: "0" }],
  ] as const)
    expect(open([step(key, value)]).isUsedUp(0)).toBe(false);
});
