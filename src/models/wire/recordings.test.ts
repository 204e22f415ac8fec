import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ModelEvent } from "../../protocol/model.ts";
import { defineProvider } from "../../protocol/provider.ts";
import { startUpstream } from "../../sim/testing/upstream.ts";
import type { Upstream } from "../../sim/upstream.ts";
import { createTransport } from "../transport.ts";
import { DIALECTS } from "./dialects.ts";
import { createModel } from "./exchange.ts";
import { loadRecordings, type Recording, type Replayed, replay, summarize } from "./testing/replay.ts";
import type { Transport } from "./transport.ts";

const dialects = Object.values(DIALECTS);
const recordings = dialects.flatMap((dialect) =>
  loadRecordings(dialect.id).map((recording) => ({ dialect, recording })),
);

/** Summarizes a recording in the format of its `expected`. */
function meaningOf({ text, reasoning, calls, failure }: Replayed): Recording["expected"] {
  return {
    text,
    reasoning,
    calls: calls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) as unknown })),
    error: failure !== undefined,
  };
}

/** Events with the random ids removed. */
function comparable({ events }: Replayed): unknown {
  return JSON.parse(JSON.stringify(events).replace(/call_[0-9a-f]{32}/g, "call"));
}

test.skipIf(recordings.length === 0)(
  "every dialect has recordings, and all indexed recordings are read",
  () => {
    for (const { id } of dialects.filter(({ id }) => id !== "openai-images" && id !== "ollama")) {
      expect(
        recordings.some(({ dialect }) => dialect.id === id),
        id,
      ).toBe(true);
    }
    expect(recordings.length).toBeGreaterThanOrEqual(124);
  },
);

describe.each(recordings)("$recording.file ($recording.host $recording.model)", ({ dialect, recording }) => {
  const { bytes, expected } = recording;

  test.each([1, 7, 4096])("decodes the same in packets of %i bytes", (packetSize) => {
    const read = replay(dialect, bytes, packetSize);
    expect(meaningOf(read)).toEqual(expected);
    if (!expected.error) expect(read.usage?.inputTokens).toBeGreaterThan(0);
    expect(comparable(read)).toEqual(comparable(replay(dialect, bytes, bytes.length)));
  });
});

describe.skipIf(recordings.length === 0)("through a real socket", () => {
  let upstream: Upstream;
  let transport: Transport;
  beforeAll(async () => {
    const byFile = new Map(recordings.map(({ recording }) => [recording.file, recording.bytes]));
    transport = createTransport();
    upstream = await startUpstream({
      // The recordings name models that are retired by now.
      rules: "off",
      respond: ({ path }) => {
        const bytes = byFile.get(path.split("/")[1] ?? "") ?? Buffer.alloc(0);
        return { frames: [bytes], faults: { slow: { bytes: Math.ceil(bytes.length / 20), everyMs: 0 } } };
      },
    });
  });
  afterAll(async () => {
    await transport.close();
    await upstream.close();
  });

  test.concurrent.each(recordings)("$recording.file decodes the same", async ({ dialect, recording }) => {
    const provider = defineProvider({
      id: "test",
      label: "Test",
      baseUrl: `${upstream.url}/${recording.file}`,
      baseUrlSetting: "TEST_BASE_URL",
      dialect: dialect.id,
      models: [],
      unknownModel: {},
      quirks: {},
    });
    const model = createModel({ provider, modelInfo: { name: recording.model }, dialect, transport });
    const events: ModelEvent[] = [];
    await model.stream(
      { messages: [], tools: [] },
      (event) => events.push(event),
      AbortSignal.timeout(20_000),
    );
    expect(meaningOf(summarize(events))).toEqual(recording.expected);
  });
});
