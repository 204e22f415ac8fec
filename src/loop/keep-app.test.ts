import { expect, it } from "vitest";
import { Failure } from "../protocol/failure.ts";
import { failedResult } from "./call.ts";
import { receivedIn } from "./keep-app.ts";

const call = { type: "tool_call" as const, id: "call_1", name: "map", arguments: "{}" };
const failed = (cause?: unknown) => {
  const failure = new Failure("TOOL_FAILED", "It broke.", { cause });
  return { failure, result: failedResult(call, failure) };
};
const nested = (depth: number): unknown =>
  depth === 0 ? { result: { isError: true, content: [] } } : { cause: nested(depth - 1) };

it("an interface gets what its server sent", () => {
  const received = { content: [], structuredContent: { at: 7 } };
  expect(receivedIn({ received, result: { output: "seven", success: true } })).toBe(received);
});

it("an interface gets the server's own error, which is among the causes of the failure", () => {
  for (const depth of [0, 1, 3])
    expect(receivedIn(failed(nested(depth))), `${depth}`).toEqual({ isError: true, content: [] });
  expect(receivedIn(failed(nested(4)))).toMatchObject({ content: [{ text: "It broke." }] });
});

it("otherwise it gets the words that the model got", () => {
  const words = (text: string, isError: boolean) => ({ content: [{ type: "text", text }], isError });
  expect(receivedIn({ result: { output: "Fine.", success: true } })).toEqual(words("Fine.", false));
  expect(receivedIn(failed())).toEqual(words("It broke.", true));
  expect(receivedIn(failed("no object"))).toEqual(words("It broke.", true));
});

it("a failed result says whose words it holds", () => {
  expect(failedResult(call, new Failure("TOOL_FAILED", "No."))).toMatchObject({
    success: false,
    output: "No.",
    trust: "trusted",
  });
  expect(failedResult(call, new Failure("TOOL_FAILED", "No."))).not.toHaveProperty("origin");
  const theirs = new Failure("TOOL_FAILED", "No.", { untrusted: true, origin: "workspace" });
  expect(failedResult(call, theirs)).toMatchObject({ trust: "untrusted", origin: "workspace" });
});
