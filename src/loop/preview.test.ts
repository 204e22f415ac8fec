import { expect, it } from "vitest";
import { Failure } from "../protocol/failure.ts";
import { runTurn } from "./run.ts";
import { calls, ofType, says, scriptedModel, tool, turnOver } from "./testing/scripted.ts";

/** A tool that can only go from one number to the next. */
function counter() {
  let current = 0;
  const approved: (string | undefined)[] = [];
  const count = tool("count", {
    effect: "write",
    retry: "unsafe",
    parallel: false,
    preview: ({ value }) => {
      if (value !== current + 1) throw new Failure("CONFLICT", `It is ${current}.`);
      return `${current} to ${String(value)}`;
    },
    run: ({ value }, { approvedPreview }) => {
      approved.push(approvedPreview);
      current = Number(value);
      return "Counted.";
    },
  });
  return { count, approved };
}

async function run(values: number[]) {
  const { count, approved } = counter();
  const wanted = values.map((value) => ({ name: "count", arguments: JSON.stringify({ value }) }));
  const { model } = scriptedModel([calls(...wanted), says("Done.")]);
  const { turn, events } = turnOver(model, {
    tools: [count],
    decide: async () => ({ decision: "once" }),
  });
  await runTurn(turn);
  const asked = ofType(events, "tool_approval_required").map(({ preview }) => preview);
  return { asked, approved, results: ofType(events, "tool_result") };
}

it("a call that cannot succeed fails at once, and nobody is asked about it", async () => {
  const { asked, results } = await run([5]);
  expect(asked).toEqual([]);
  expect(results).toMatchObject([{ success: false, error: { code: "CONFLICT", message: "It is 0." } }]);
});

it("a call that builds on the one before it is asked about after that one", async () => {
  const { asked, approved, results } = await run([1, 2, 4]);
  expect(asked).toEqual(["0 to 1", "1 to 2"]);
  expect(results).toMatchObject([{ success: true }, { success: true }, { success: false }]);
  expect(approved).toEqual(asked);
});
