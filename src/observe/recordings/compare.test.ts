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

it("finds that a call has not made what it made in the recording", () => {
  expect(compareEvents([result, search], [result, search])).toEqual([]);
  expect(compareEvents([result, search], [result])).toEqual([
    { where: "web_search and what follows", recorded: "web_search", now: "nothing" },
  ]);
});
