import { describe, expect, it } from "vitest";
import { anthropicMessages } from "./anthropic-messages.ts";
import { loadRecordings, replay } from "./testing/replay.ts";

describe("recorded Anthropic streams", () => {
  for (const recording of loadRecordings("anthropic-messages")) {
    it.each([1, 7, 4096])(`reads ${recording.file} in packets of %i bytes`, (size) => {
      const { text, reasoning, calls, failure } = replay(anthropicMessages, recording.bytes, size);
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
