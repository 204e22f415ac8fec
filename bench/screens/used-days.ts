import type { FailureCode } from "../../src/protocol/failure.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";

const DAY_MS = 86_400_000;
const MODELS = ["anthropic/claude-sonnet-4-5", "zai/glm-4.6", "openai/gpt-4o-mini"];
const TOOLS: [name: string, milliseconds: number, failures: number][] = [
  ["browser.search", 640, 0.02],
  ["web_fetch", 420, 0.09],
  ["generate_artifact", 14_000, 0.03],
  ["get_time", 1, 0],
  ["filesystem", 4, 0.01],
];
const ERRORS: [code: FailureCode, source: string, count: number][] = [
  ["UPSTREAM_TIMEOUT", "tool:web_fetch", 14],
  ["RATE_LIMITED", "tool:browser.search", 9],
  ["UPSTREAM_ERROR", "model:zai/glm-4.6", 4],
  ["TOOL_INVALID_ARGUMENTS", "tool:filesystem", 3],
  ["INTERNAL", "route:/chat", 1],
];

/** Writes a month of reproducible usage data into a data directory, for screenshots. */
export async function fillDays(dataDir: string, userIds: readonly string[], days = 30): Promise<void> {
  const random = seeded(7);
  let now = Date.now();
  const end = now;
  const store = await openSqliteStore({ dataDir, now: () => now });
  try {
    for (let back = days - 1; back >= 0; back--) {
      now = end - back * DAY_MS;
      const weekend = [0, 6].includes(new Date(now).getUTCDay());
      const busy = (weekend ? 2 : 9) + Math.floor(random() * 8);
      for (let run = 0; run < busy; run++) {
        const at = Math.floor(random() ** 2 * MODELS.length);
        const inputTokens = Math.round(2_000 + random() * 30_000);
        const outputTokens = Math.round(200 + random() * 2_500);
        const costUsd = (inputTokens * 2 + outputTokens * 10) / 1e6 / (at + 1);
        await store.recordUsage({
          id: `seed-${back}-${run}`,
          userId: userIds[Math.floor(random() ** 2 * userIds.length)] ?? "local",
          tool: "",
          model: MODELS[at] ?? "",
          usage: { inputTokens, outputTokens, costUsd },
        });
      }
      await store.recordToolUses(
        TOOLS.flatMap(([tool, milliseconds, failures]) =>
          Array.from({ length: Math.ceil(busy * random()) }, () => ({
            userId: userIds[0] ?? "local",
            tool,
            outcome: random() < failures ? ("UPSTREAM_TIMEOUT" as const) : ("success" as const),
            durationMs: milliseconds * (0.5 + random() * 2 + (random() > 0.93 ? 4 : 0)),
            cached: false,
            costUsd: tool === "browser.search" ? 0.008 : 0,
            inputTokens: 0,
            outputTokens: 0,
            modelCostUsd: 0,
          })),
        ),
      );
    }
    await store.recordErrors(
      ERRORS.flatMap(([code, source, count]) =>
        Array.from({ length: count }, (_, index) => ({ code, source, requestId: `req_${index + 1}` })),
      ),
    );
  } finally {
    await store.close();
  }
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
