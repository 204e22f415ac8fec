import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../protocol/define-tool.ts";
import type { Situation } from "../protocol/guard.ts";
import { toolContext } from "../tools/builtin/testing/context.ts";
import { ruleOfTwo } from "./rule-of-two.ts";

const readFiles: Situation = {
  outside: [],
  workspace: ["filesystem"],
  privateReads: ["filesystem"],
  suspicious: [],
  personTexts: ["set it up"],
};

function asked(alsoSends: boolean, situation = readFiles): string | undefined {
  const tool = defineTool({
    name: "execute_command",
    description: "Runs a command.",
    effect: "write",
    retry: "unsafe",
    input: z.object({ command: z.string() }),
    alsoSends: () => alsoSends,
    run: () => "",
  });
  const call = { tool, args: { command: "npm install" }, context: toolContext() };
  return ruleOfTwo(call, "write", situation)?.reason;
}

test("a change that can also send something out is asked about once files were read", () => {
  expect(asked(true)).toContain(
    "It can send something out, after untrusted text (filesystem) and private data",
  );
  expect(asked(false)).toBeUndefined();
});

test("a change that can send something out is left to the policy while nothing was read", () => {
  expect(asked(true, { ...readFiles, workspace: [], privateReads: [] })).toBeUndefined();
});
