import { describe, expect, it } from "vitest";
import { gemini } from "./gemini.ts";
import { loadRecordings, replay } from "./testing/replay.ts";

describe("recorded Gemini streams", () => {
  for (const recording of loadRecordings("gemini")) {
    it.each([1, 7, 4096])(`reads ${recording.file} in packets of %i bytes`, (size) => {
      const { text, reasoning, calls, failure } = replay(gemini, recording.bytes, size);
      const seen = {
        text,
        reasoning,
        calls: calls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) })),
        error: failure !== undefined,
      };
      expect(seen).toEqual(recording.expected);
    });
  }
});
