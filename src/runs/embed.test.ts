import { expect, it } from "vitest";
import type { EmbeddingRequest } from "../protocol/embeddings.ts";
import type { DirectUsage } from "../protocol/ledger.ts";
import type { Budgets, UsedUp } from "../protocol/limits.ts";
import type { Model } from "../protocol/model.ts";
import type { Store } from "../protocol/store.ts";
import { embedFor } from "./embed.ts";

const ada = { id: "ada", kind: "account" } as const;
const signal = new AbortController().signal;
const usage = { inputTokens: 3, outputTokens: 0 };

function embedder(used?: UsedUp) {
  const recorded: DirectUsage[] = [];
  const asked: EmbeddingRequest[] = [];
  const model = {
    id: "some/model",
    async embed(request: EmbeddingRequest, given: AbortSignal) {
      expect(given).toBe(signal);
      asked.push(request);
      return { vectors: [[1]], usage };
    },
  } as Partial<Model> as Model;
  const parts = {
    store: { recordUsage: async (one) => void recorded.push(one) } as Partial<Store> as Store,
    budgets: { usedUp: async () => used } as Partial<Budgets> as Budgets,
  };
  return { parts, model, recorded, asked };
}

it("texts are embedded at the cost of the person and their key", async () => {
  const { parts, model, recorded, asked } = embedder();
  let waits = 0;
  const during = <Result>(wait: () => Promise<Result>) => {
    waits++;
    return wait();
  };
  const input = { input: ["a"], encoding: "float" as const };
  const embedded = { vectors: [[1]], usage, model: "some/model" };
  expect(await embedFor(parts, ada, model, input, signal)).toEqual(embedded);
  const keyed = { ...ada, key: { id: "key_1" } };
  expect(await embedFor({ ...parts, during }, keyed, model, input, signal)).toEqual(embedded);
  expect(waits).toBe(1);
  expect(asked[0]).toEqual({ ...input, caller: "ada" });
  const id = expect.stringMatching(/^call_/);
  const charged = { id, userId: "ada", tool: "embeddings", model: "some/model", usage };
  expect(recorded).toEqual([charged, { ...charged, keyId: "key_1" }]);
});

it("nothing is embedded without a budget, or by a model that cannot", async () => {
  const later = embedder({ sentence: "Used up.", retryAfter: 9 });
  const input = { input: ["a"], encoding: "float" as const };
  await expect(embedFor(later.parts, ada, later.model, input, signal)).rejects.toMatchObject({
    code: "RATE_LIMITED",
    publicMessage: "Used up.",
    retryable: true,
    retryAfter: 9,
  });
  expect(later.asked).toEqual([]);
  const never = embedder({ sentence: "Used up." });
  await expect(embedFor(never.parts, ada, never.model, input, signal)).rejects.toMatchObject({
    retryable: false,
  });
  const without = { id: "chat/model" } as Model;
  await expect(embedFor(embedder().parts, ada, without, input, signal)).rejects.toMatchObject({
    code: "INVALID_INPUT",
    publicMessage: "chat/model has no embeddings.",
    details: { param: "model" },
  });
});
