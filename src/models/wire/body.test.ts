import { expect, test } from "vitest";
import { createLineReader, createSseReader } from "./body.ts";

type Frame = [data: string, event: string | undefined];

function read(bytes: Uint8Array, packetSize: number, maxBufferBytes?: number): Frame[] {
  const frames: Frame[] = [];
  const reader = createSseReader({ onFrame: (data, event) => frames.push([data, event]), maxBufferBytes });
  for (let at = 0; at < bytes.length; at += packetSize) reader.push(bytes.subarray(at, at + packetSize));
  reader.end();
  return frames;
}

function readAtEverySize(text: string): Frame[] {
  const bytes = Buffer.from(text);
  const frames = read(bytes, bytes.length);
  for (const size of [1, 2, 3, 7]) expect(read(bytes, size)).toEqual(frames);
  return frames;
}

test("comments keep the connection open and are not events (21)", () => {
  expect(readAtEverySize(": OPENROUTER PROCESSING\n\ndata: 1\n\n: still here\ndata: 2\n\n")).toEqual([
    ["1", undefined],
    ["2", undefined],
  ]);
});

test("lines may end in CRLF, even if it is split between packets (22)", () => {
  expect(readAtEverySize("event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n")).toEqual([
    ["1", "a"],
    ["2", undefined],
  ]);
});

const SINGLE_BREAKS = [
  ['data: {"a":1}\ndata: {"b":{}}\ndata: [DONE]\n', ['{"a":1}', '{"b":{}}', "[DONE]"]],
  ['data:{"a":[1]}\r\ndata:{"b":2}\r\n', ['{"a":[1]}', '{"b":2}']],
] as const;

test.each(SINGLE_BREAKS)(
  "events that one line break separates are read as they arrive: %j",
  (text, expected) => {
    expect(readAtEverySize(text).map(([data]) => data)).toEqual(expected);
    const frames: string[] = [];
    const reader = createSseReader({ onFrame: (data) => frames.push(data) });
    const lines = text.split(/(?<=\n)/);
    for (const [at, line] of lines.entries()) {
      reader.push(Buffer.from(line));
      expect(frames).toEqual(expected.slice(0, at));
    }
  },
);

test("events that one line break separates are whole wherever a packet ends", () => {
  const text = 'event: a\ndata: {"a":1}\nevent: b\r\ndata: {"b":[1]}\ndata: {"c":{}}\ndata:{"d":4}\n';
  const bytes = Buffer.from(text);
  const whole = read(bytes, bytes.length);
  expect(whole.map(([data]) => data)).toEqual(['{"a":1}', '{"b":[1]}', '{"c":{}}', '{"d":4}']);
  for (let first = 1; first < bytes.length; first++) {
    for (let second = first + 1; second < bytes.length; second++) {
      const frames: Frame[] = [];
      const reader = createSseReader({ onFrame: (data, event) => frames.push([data, event]) });
      for (const [from, to] of [[0, first], [first, second], [second]]) reader.push(bytes.subarray(from, to));
      reader.end();
      expect(frames, `packets end at ${first} and ${second}`).toEqual(whole);
    }
  }
  expect(readAtEverySize(text)).toEqual(whole);
});

test("named events that one line break separates keep their names", () => {
  const text = 'event: a\ndata: {"a":1}\nevent: b\ndata: {"b":1}\n\n';
  expect(read(Buffer.from(text), text.length)).toEqual([
    ['{"a":1}', "a"],
    ['{"b":1}', "b"],
  ]);
});

test("data over several lines stays one event if it is one JSON value, or no JSON at all", () => {
  const whole = '{\n"list": [\n{"a": 1},\n{"b": [2]\n}\n]\n}';
  const lines = whole.split("\n").map((line) => `data: ${line}\n`);
  expect(readAtEverySize(`${lines.join("")}\n`)).toEqual([[whole, undefined]]);
  expect(readAtEverySize("event: error\ndata: no such model\ndata: try another\n\n")).toEqual([
    ["no such model\ntry another", "error"],
  ]);
});

test("a character that is split between packets arrives whole (23)", () => {
  expect(readAtEverySize('data: {"text":"22°C 👩‍🚀 日本"}\n\n')).toEqual([
    ['{"text":"22°C 👩‍🚀 日本"}', undefined],
  ]);
});

test("a byte order mark is dropped (24)", () => {
  expect(readAtEverySize("\uFEFFdata: 1\n\n")).toEqual([["1", undefined]]);
});

test("the last event counts even without a blank line or line end after it (25)", () => {
  for (const end of ["", "\n", "\r", "\r\n"]) {
    expect(readAtEverySize(`data: 1\n\ndata: 2${end}`)).toEqual([
      ["1", undefined],
      ["2", undefined],
    ]);
  }
});

test("the space after the colon is optional, and data may span several lines (26)", () => {
  expect(readAtEverySize("data:1\n\nevent:b\ndata: 2\ndata:3\n\n")).toEqual([
    ["1", undefined],
    ["2\n3", "b"],
  ]);
});

test("a line or event that exceeds the size limit fails instead of filling the memory", () => {
  const line = Buffer.from(`data: ${"x".repeat(5000)}`);
  expect(() => read(line, 100, 1000)).toThrowError(/too large/);
  const event = Buffer.from("data: 0123456789\n".repeat(500));
  expect(() => read(event, 17, 1000)).toThrowError(/too large/);
  const manyEvents = Buffer.from("data: 0123456789\n\n".repeat(500));
  expect(read(manyEvents, 100, 1000)).toHaveLength(500);
});

test("lines are read in packets of any size, with CRLF, blank lines and without a break at the end", () => {
  const bytes = Buffer.from('{"a":"ö"}\r\n\n{"b":1}\n{"c":2}');
  for (const size of [1, 2, 7, bytes.length]) {
    const lines: string[] = [];
    const reader = createLineReader({ onFrame: (line) => lines.push(line) });
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
    reader.end();
    expect(lines).toEqual(['{"a":"ö"}', '{"b":1}', '{"c":2}']);
  }
});

test("a line without an end is given up", () => {
  const reader = createLineReader({ onFrame: () => undefined, maxBufferBytes: 100 });
  const push = () => reader.push(Buffer.from("x".repeat(60)));
  push();
  expect(push).toThrow("too large");
});
