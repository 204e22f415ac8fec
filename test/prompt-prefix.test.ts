import { afterEach, expect, it, vi } from "vitest";
import { createTackle, streamTurn } from "../src/index.ts";
import { DIALECTS } from "../src/models/wire/dialects.ts";
import type { ModelEvent, ModelRequest } from "../src/protocol/model.ts";

let tackle: Awaited<ReturnType<typeof createTackle>> | undefined;

afterEach(async () => {
  vi.useRealTimers();
  await tackle?.close();
});

/** Returns the body of a request as its vendor gets it, without cache marks, which move. */
function bodyOf(request: ModelRequest, dialect: string): Record<string, unknown> {
  const context = { model: { name: "m", reasoning: "adaptive" }, modelId: "own/m", quirks: {} };
  const { body } = DIALECTS[dialect]?.encode(request, context) ?? {};
  return JSON.parse(JSON.stringify(body, (key, value) => (key === "cache_control" ? undefined : value)));
}

it.each([
  ["openai-chat", "messages"],
  ["openai-responses", "input"],
  ["anthropic-messages", "messages"],
  ["gemini", "contents"],
])(
  "turns days apart and in other modes share everything before the newest message: %s",
  async (dialect, list) => {
    const requests: ModelRequest[] = [];
    const model = {
      id: "own/m",
      info: { name: "m", supportsTools: true },
      async stream(request: ModelRequest, emit: (event: ModelEvent) => void) {
        requests.push(structuredClone({ ...request, attempts: undefined }));
        emit({ type: "text_delta", text: "Ok." });
        const thought = { type: "reasoning" as const, text: "Hm", metadata: { signature: "s" } };
        emit({ type: "finish", reason: "stop", parts: [thought, { type: "text", text: "Ok." }] });
      },
    };
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-03-02T10:00:00Z") });
    tackle = await createTackle({ dataDir: ":memory:", model });
    for (const [day, modeHint] of [
      ["02", "image"],
      ["03", "auto"],
      ["04", "artifact"],
      ["04", undefined],
    ] as const) {
      vi.setSystemTime(new Date(`2026-03-${day}T12:00:00Z`));
      const request = { sessionId: "days", message: `On ${day}`, ...(modeHint && { modeHint }) };
      for await (const _ of streamTurn(tackle.chat, request));
    }
    const bodies = requests
      .filter(({ tools }) => tools.length > 0)
      .map((request) => bodyOf(request, dialect));
    expect(bodies).toHaveLength(4);
    for (const [at, body] of bodies.entries()) {
      const before = bodies[at - 1];
      if (!before) continue;
      const earlier = before[list] as unknown[];
      const { [list]: later, ...rest } = body;
      expect(JSON.stringify((later as unknown[]).slice(0, earlier.length))).toBe(JSON.stringify(earlier));
      expect(JSON.stringify(rest)).toBe(JSON.stringify({ ...before, [list]: undefined }));
    }
    const said = JSON.stringify(bodies.at(-1));
    expect(said.match(/today is 2026-03-\d\d/g)).toEqual(
      ["02", "03", "04"].map((day) => `today is 2026-03-${day}`),
    );
    expect(said).toContain("prefer the tool generate_image");
    expect(said).toContain("prefer the tool generate_artifact");
  },
);
