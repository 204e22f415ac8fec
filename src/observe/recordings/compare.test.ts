import { expect, it } from "vitest";
import type { ChatEvent } from "../../protocol/events.ts";
import { compareEvents } from "./compare.ts";

const call = { toolCallId: "call_1", toolName: "browser.search" };
const counted = { latencyMs: 1, retryCount: 0, cached: false };
const result: ChatEvent = { type: "tool_result", ...call, success: true, ...counted, output: "found" };
const search: ChatEvent = {
  type: "web_search",
  toolCallId: "call_1",
  data: { query: "x", provider: "p", sources: [], searchTimeMs: 1 },
};

it("finds no difference in a recording that has what a call made before its result", () => {
  expect(compareEvents([search, result], [result, search])).toEqual([]);
  expect(compareEvents([search, result], [result])).toEqual([
    { where: "web_search and what follows", recorded: "web_search", now: "nothing" },
  ]);
});
