import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ModelEvent } from "../../protocol/model.ts";
import { openAnswer } from "./answer.ts";
import { createFrameReader } from "./body.ts";
import { DIALECTS } from "./dialects.ts";
import { seeded } from "./testing/conversations.ts";
import { loadRecordings, testContext } from "./testing/replay.ts";

const ROUNDS = 2500;
const SEED = 20_240_601;

type Mutation = (bytes: Buffer, random: () => number) => Buffer;

const below = (limit: number, random: () => number) => Math.floor(random() * limit);

function onLines(change: (lines: string[], random: () => number) => void): Mutation {
  return (bytes, random) => {
    const lines = bytes.toString("latin1").split("\n");
    change(lines, random);
    return Buffer.from(lines.join("\n"), "latin1");
  };
}

const MUTATIONS: Record<string, Mutation> = {
  "bytes flipped": (bytes, random) => {
    const copy = Buffer.from(bytes);
    for (let count = 1 + below(8, random); count > 0 && copy.length > 0; count--) {
      copy[below(copy.length, random)] = below(256, random);
    }
    return copy;
  },
  "cut off": (bytes, random) => bytes.subarray(0, below(bytes.length, random)),
  "a piece missing": (bytes, random) => {
    const at = below(bytes.length, random);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + below(200, random))]);
  },
  "line dropped": onLines((lines, random) => lines.splice(below(lines.length, random), 1 + below(3, random))),
  "line doubled": onLines((lines, random) => {
    const at = below(lines.length, random);
    lines.splice(at, 0, lines[at] ?? "", "");
  }),
  "lines swapped": onLines((lines, random) => {
    const [one, other] = [below(lines.length, random), below(lines.length, random)];
    [lines[one], lines[other]] = [lines[other] ?? "", lines[one] ?? ""];
  }),
  "value replaced": (bytes, random) => {
    const values = [
      "null",
      "[]",
      "{}",
      '""',
      "-1",
      "1e999",
      "true",
      '"__proto__"',
      '[[{"text":null}]]',
      '{"0":{}}',
    ];
    const text = bytes.toString("latin1");
    const places = [...text.matchAll(/:("(?:[^"\\]|\\.)*"|\d+|\[|\{|null)/g)];
    const place = places[below(places.length, random)];
    if (!place) return bytes;
    const value = values[below(values.length, random)] ?? "null";
    const end = place.index + 1 + (place[1]?.length ?? 0);
    return Buffer.from(text.slice(0, place.index + 1) + value + text.slice(end), "latin1");
  },
  "key replaced": (bytes, random) => {
    const text = bytes.toString("latin1");
    const places = [...text.matchAll(/"(\w+)":/g)];
    const place = places[below(places.length, random)];
    const other = places[below(places.length, random)]?.[1] ?? "x";
    if (!place) return bytes;
    return Buffer.from(
      `${text.slice(0, place.index)}"${other}":${text.slice(place.index + place[0].length)}`,
      "latin1",
    );
  },
};

// Images arrive as one JSON body, and there are no recordings of them.
const dialects = Object.values(DIALECTS).filter(({ id }) => id !== "openai-images");

describe.each(dialects)("$id", (dialect) => {
  const recordings = dialect.id === "ollama" ? ownRecordings() : loadRecordings(dialect.id);

  test.skipIf(recordings.length === 0)(
    "a damaged stream ends in exactly one final event and throws nothing",
    { timeout: 60_000 },
    () => {
      const random = seeded(SEED);
      const names = Object.keys(MUTATIONS);
      for (let round = 0; round < ROUNDS; round++) {
        const recording = recordings[below(recordings.length, random)];
        if (!recording) continue;
        let bytes = recording.bytes.subarray(0, 64 * 1024);
        const done: string[] = [];
        for (let count = 1 + below(3, random); count > 0; count--) {
          const name = names[below(names.length, random)] ?? "";
          bytes = MUTATIONS[name]?.(bytes, random) ?? bytes;
          done.push(name);
        }
        const story = `round ${round}: ${recording.file} with ${done.join(", ")}`;
        const events = run(bytes, 1 + below(3000, random));
        const last = events.filter((event) => event.type === "finish" || event.type === "failure");
        expect(last.length, story).toBe(1);
        expect(events.at(-1), story).toBe(last[0]);
        for (const event of events) expect(problemWith(event), story).toBeUndefined();
      }
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(PRISTINE);
    },
  );

  function run(bytes: Buffer, packetSize: number): ModelEvent[] {
    const events: ModelEvent[] = [];
    const request = { messages: [], tools: [] };
    const answer = openAnswer(dialect, testContext(), request, (event) => events.push(event));
    const reader = createFrameReader(dialect, { onFrame: answer.frame });
    for (let at = 0; at < bytes.length; at += packetSize) reader.push(bytes.subarray(at, at + packetSize));
    reader.end();
    answer.end();
    return events;
  }
});

/** Recordings of our stand-in, because there are none of real servers. */
function ownRecordings(): { file: string; bytes: Buffer }[] {
  const file = "sim-ollama.json";
  const text = readFileSync(new URL(`../../../test/recordings/${file}`, import.meta.url), "utf8");
  const { exchanges } = JSON.parse(text) as { exchanges: { response: { text?: string } }[] };
  return exchanges.map(({ response }) => ({ file, bytes: Buffer.from(response.text ?? "") }));
}

const PRISTINE = Object.getOwnPropertyNames(Object.prototype);

/** Returns what is wrong with an event that a correct decoder never emits, whatever its input. */
function problemWith(event: ModelEvent): string | undefined {
  switch (event.type) {
    case "text_delta":
    case "reasoning_delta":
      return typeof event.text === "string" && event.text !== "" ? undefined : "a delta without text";
    case "usage":
      return Object.values(event.usage).every((count) => Number.isFinite(count) && count >= 0)
        ? undefined
        : "a count that is none";
    case "finish": {
      const calls = event.parts.filter((part) => part.type === "tool_call");
      if (new Set(calls.map((call) => call.id)).size < calls.length) return "two calls with one id";
      const sound = calls.every((call) => call.id !== "" && typeof call.arguments === "string");
      return sound ? undefined : "a call without id or arguments";
    }
    case "failure":
      // An exception in a dialect is reported as unreadable, with the error as its cause.
      return event.failure.cause instanceof TypeError ? `thrown: ${event.failure.cause.stack}` : undefined;
  }
}
