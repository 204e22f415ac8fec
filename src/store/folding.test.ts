import { expect, test } from "vitest";
import { contentDelta } from "../protocol/deltas.ts";
import type { ChatEvent } from "../protocol/events.ts";
import { emptyRun, reduceAll } from "../protocol/reduce.ts";
import { doneEvent, seededRandom, sessionEvent } from "./conformance/harness.ts";
import { CollectedEvents, unfoldEvents } from "./folding.ts";

const RUN = { id: "run_1", sessionId: "session_1", messageId: "message_1" };
const WORDS = [
  "Hello ",
  "Ada",
  ", ",
  'a "quote"',
  "\n\n- ",
  "back\\slash",
  "ü",
  "日本語",
  "🦉",
  "\u0001",
  "{}",
  " the ",
];

function folded(events: readonly string[], transcript: string): { bytes: Uint8Array; lines: string[] } {
  const collected = new CollectedEvents();
  for (const event of events) collected.add(event);
  const bytes = collected.fold(transcript);
  return { bytes, lines: unfoldEvents(bytes, transcript).map(({ json }) => json) };
}

function reasoningDelta(text: string): ChatEvent {
  return { type: "reasoning_delta", choices: [{ index: 0, delta: { reasoning_content: text } }] };
}

test("random events of every shape come back byte for byte, numbered from 1", () => {
  const random = seededRandom(7);
  for (let round = 0; round < 200; round++) {
    const word = () => WORDS[Math.floor(random() * WORDS.length)] ?? "";
    const events: ChatEvent[] = [sessionEvent(RUN)];
    while (random() > 0.02) {
      const kind = random();
      if (kind < 0.7) events.push(contentDelta(word()));
      else if (kind < 0.85) events.push(reasoningDelta(word()));
      else if (kind < 0.95)
        events.push({ type: "artifact_delta", toolCallId: word(), artifactId: "a", delta: word() });
      else events.push({ type: "tool_progress", toolCallId: "t", message: word() });
    }
    events.push(doneEvent(RUN));
    const lines = events.map((event) => JSON.stringify(event));
    for (const transcript of [JSON.stringify(reduceAll(events)), JSON.stringify(emptyRun()), ""])
      expect(folded(lines, transcript).lines).toEqual(lines);
    expect(unfoldEvents(folded(lines, "").bytes, "").map(({ seq }) => seq)).toEqual(
      lines.map((_, at) => at + 1),
    );
  }
});

test.each([2_000, 200_000])("the events of an answer with %d words need a fraction of its text", (words) => {
  const random = seededRandom(3);
  const pieces = Array.from({ length: words }, () => `${Math.floor(random() * 1e6).toString(36)} `);
  const events = [sessionEvent(RUN), ...pieces.map(contentDelta), doneEvent(RUN)];
  const { bytes } = folded(
    events.map((event) => JSON.stringify(event)),
    JSON.stringify(reduceAll(events)),
  );
  expect(bytes.length).toBeLessThan(0.2 * pieces.join("").length);
});

test("another transcript than the one that they were folded into is refused", () => {
  const events = [sessionEvent(RUN), contentDelta("Hello."), doneEvent(RUN)];
  const { bytes } = folded(
    events.map((event) => JSON.stringify(event)),
    JSON.stringify(reduceAll(events)),
  );
  expect(() => unfoldEvents(bytes, JSON.stringify(emptyRun()))).toThrow("cannot be read");
});
