import { expect, test } from "vitest";
import { frame, runOf } from "../../test/client-server.ts";
import { EventStream, isRunEvent } from "./event-stream.ts";

const EVERY_MS = 5;

test("with a pace, what arrives meanwhile is read in one piece", async () => {
  const events = runOf(20);
  const began = performance.now();
  let sent = 0;
  let reads = 0;
  // As a network does, it hands out all that has arrived by then.
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        reads++;
        const arrived = Math.max(sent + 1, Math.floor((performance.now() - began) / EVERY_MS));
        let text = "";
        while (sent < Math.min(arrived, events.length)) text += frame(events, ++sent);
        controller.enqueue(new TextEncoder().encode(text));
        if (sent === events.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const stream = new EventStream(body, { silenceMs: 10_000, paceMs: 10 * EVERY_MS }, isRunEvent);
  const seen: unknown[] = [];
  for (let next = await stream.next(); next !== undefined; next = await stream.next())
    seen.push(typeof next === "string" ? next : next.seq);
  expect(seen).toEqual(events.map((_, at) => at + 1));
  expect(reads).toBeLessThanOrEqual(4);
});
