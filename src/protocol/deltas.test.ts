import { expect, test } from "vitest";
import { contentDelta, encodedDelta, MergingDeltas, mergeDeltas, reasoningDelta } from "./deltas.ts";
import type { EventOf } from "./events.ts";

test("deltas of the same text merge, and those of different texts stay apart", () => {
  expect(mergeDeltas(contentDelta("Hel"), contentDelta("lo"))).toEqual(contentDelta("Hello"));
  expect(mergeDeltas(contentDelta("Hel"), reasoningDelta("lo"))).toBeUndefined();
  const piece = (artifactId: string): EventOf<"artifact_delta"> => {
    return { type: "artifact_delta", toolCallId: "call_1", artifactId, delta: "x" };
  };
  expect(mergeDeltas(piece("a"), piece("a"))).toEqual({ ...piece("a"), delta: "xx" });
  expect(mergeDeltas(piece("a"), piece("b"))).toBeUndefined();
});

test("progress merges only while its message stays the same", () => {
  const progress = (message: string): EventOf<"tool_progress"> => {
    return { type: "tool_progress", toolCallId: "call_1", message, chunk: "line\n" };
  };
  expect(mergeDeltas(progress("Building"), progress("Building"))).toMatchObject({ chunk: "line\nline\n" });
  expect(mergeDeltas(progress("Building"), progress("Testing"))).toBeUndefined();
});

test("a merged delta stays below the given length", () => {
  expect(mergeDeltas(contentDelta("abc"), contentDelta("def"), 5)).toBeUndefined();
  expect(mergeDeltas(contentDelta("abc"), contentDelta("def"), 6)).toEqual(contentDelta("abcdef"));
});

test("collected deltas become one event", () => {
  const deltas = new MergingDeltas();
  expect(deltas.add(contentDelta("Hel"))).toBe(true);
  expect(deltas.add(contentDelta("lo"))).toBe(true);
  expect(deltas.add(reasoningDelta("no"))).toBe(false);
  expect(deltas.take()).toEqual(contentDelta("Hello"));
  expect(deltas.take()).toBeUndefined();
});

test("the delta of an encoded piece of text is found without parsing, and only if the event holds nothing else", () => {
  const text = 'a "quote" \\ and\nan end: "}}]}';
  expect(encodedDelta(JSON.stringify(contentDelta(text)))).toBe(JSON.stringify({ content: text }));
  const reasoning = JSON.stringify({ reasoning_content: text });
  expect(encodedDelta(JSON.stringify(reasoningDelta(text)))).toBe(reasoning);
  const others = [
    { ...contentDelta(""), block: { type: "x", content: [{ a: { b: "c" } }] } },
    { ...reasoningDelta(""), signature: '"}}]}' },
    { type: "title", title: JSON.stringify(contentDelta(text)) },
    { type: "artifact_delta", toolCallId: "c", artifactId: "a", delta: "x" },
  ];
  for (const event of others) expect(encodedDelta(JSON.stringify(event))).toBeUndefined();
});
