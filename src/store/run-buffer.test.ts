import { expect, test } from "vitest";
import { contentDelta, reasoningDelta } from "../protocol/deltas.ts";
import { RunBuffer } from "./run-buffer.ts";

const WARNING = { type: "warning", code: "A", message: "b" } as const;
const start = (key: string) => ({ key, state: "started", idempotencyKey: key }) as const;
const texts = (events: readonly string[]) => events.map((json) => JSON.parse(json));

test("adjacent deltas of one kind become one event, and others stay apart", () => {
  const buffer = new RunBuffer("run", 3, 7);
  expect(buffer.isEmpty).toBe(true);
  for (const event of [contentDelta("a"), contentDelta("b"), reasoningDelta("c"), contentDelta("d")])
    buffer.addEvent(event);
  expect(buffer.isEmpty).toBe(false);
  expect(buffer.hasBoundary).toBe(false);
  expect(buffer.size).toBe(4);
  const { batches, encoded, boundary } = buffer.take();
  expect(boundary).toBe(false);
  expect(encoded.map(({ seq }) => seq)).toEqual([7, 8, 9]);
  expect(batches).toMatchObject([{ runId: "run", epoch: 3, firstSeq: 7, steps: [] }]);
  expect(texts(batches[0]?.events ?? [])).toEqual([
    contentDelta("ab"),
    reasoningDelta("c"),
    contentDelta("d"),
  ]);
  expect([buffer.isEmpty, buffer.size, buffer.nextSeq]).toEqual([true, 0, 10]);
});

test("a single delta is one batch with its number", () => {
  const buffer = new RunBuffer("run", 1, 2);
  buffer.addEvent(contentDelta("a"));
  buffer.addEvent(contentDelta("b"));
  const json = JSON.stringify(contentDelta("ab"));
  expect(buffer.take()).toEqual({
    batches: [{ runId: "run", epoch: 1, firstSeq: 2, events: [json], steps: [] }],
    encoded: [{ seq: 2, json }],
    boundary: false,
  });
  expect(buffer.take()).toEqual({ batches: [], encoded: [], boundary: false });
});

test("an event that is not a delta, a step and a status must be committed at once", () => {
  const changes = [
    (buffer: RunBuffer) => buffer.addEvent(WARNING),
    (buffer: RunBuffer) => buffer.addStep(start("model:0")),
    (buffer: RunBuffer) => buffer.setStatus("waiting"),
    (buffer: RunBuffer) => buffer.markBoundary(),
  ];
  for (const change of changes) {
    const buffer = new RunBuffer("run", 1, 2);
    buffer.addEvent(contentDelta("a"));
    change(buffer);
    expect(buffer.hasBoundary).toBe(true);
    expect(buffer.take().boundary).toBe(true);
    expect(buffer.hasBoundary).toBe(false);
  }
});

test("a step starts after the events before it, and the events after its start are in a separate batch", () => {
  const buffer = new RunBuffer("run", 1, 2);
  buffer.addEvent(contentDelta("before"));
  buffer.addStep(start("model:0"));
  buffer.addEvent(contentDelta("after"));
  buffer.addEvent(WARNING);
  buffer.setStatus("waiting");
  const { batches, encoded } = buffer.take();
  expect(
    batches.map(({ firstSeq, events, steps, status }) => [firstSeq, texts(events), steps, status]),
  ).toEqual([
    [2, [contentDelta("before")], [start("model:0")], undefined],
    [3, [contentDelta("after"), WARNING], [], "waiting"],
  ]);
  expect(encoded.map(({ seq }) => seq)).toEqual([2, 3, 4]);
});

test("the end of a step does not separate the events after it from those before", () => {
  const buffer = new RunBuffer("run", 1, 2);
  buffer.addEvent(WARNING);
  buffer.addStep({ key: "model:0", state: "finished", result: 1 });
  buffer.addEvent(contentDelta("a"));
  buffer.addEvent(contentDelta("b"));
  const { batches } = buffer.take();
  expect(batches).toHaveLength(1);
  expect(texts(batches[0]?.events ?? [])).toEqual([WARNING, contentDelta("ab")]);
});

test("the size counts the characters of everything that is pending", () => {
  const buffer = new RunBuffer("run", 1, 2);
  buffer.addEvent(contentDelta("four"));
  buffer.addEvent(WARNING);
  expect(buffer.size).toBe(4 + JSON.stringify(WARNING).length);
  buffer.addEvent(contentDelta("two"));
  expect(buffer.size).toBe(7 + JSON.stringify(WARNING).length);
});

test("a merged delta stops growing at a maximum length, so that events stay small", () => {
  const buffer = new RunBuffer("run", 1, 2);
  const long = "x".repeat(10_000);
  for (let count = 0; count < 3; count++) buffer.addEvent(contentDelta(long));
  const { encoded } = buffer.take();
  expect(encoded.map(({ json }) => JSON.parse(json))).toEqual(Array(3).fill(contentDelta(long)));
});
