import { expect, it } from "vitest";
import { scriptedModel } from "../loop/testing/scripted.ts";
import type { Vector } from "../protocol/embeddings.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { createMeaning } from "./meaning.ts";

/** Asks a model that answers with these vectors what texts mean. */
async function vectorsOf(...vectors: Vector[]) {
  const asked: unknown[] = [];
  const model = {
    ...scriptedModel([]).model,
    embed: async ({ input, encoding, caller }: { input: unknown; encoding?: string; caller?: string }) => {
      asked.push({ input, encoding, caller });
      return { vectors, usage: { inputTokens: 3, outputTokens: 0 } };
    },
  };
  const nothing = async () => undefined;
  const meaning = createMeaning(
    {
      store: await temporaryStore(),
      budgets: { limited: async () => false, ofPerson: nothing, usedUp: nothing },
      keysOf: async (userId) => ({ openai: `${userId}'s key` }),
      models: {
        resolve: (id, keys) => {
          asked.push({ id, keys });
          return model;
        },
      },
    },
    "test/embedder",
  );
  expect(meaning.model).toBe("test/embedder");
  const texts = vectors.map((_, index) => `text ${index}`);
  const found = await meaning.vectorsOf({ id: "ada", kind: "account" }, texts, AbortSignal.timeout(10_000));
  return { asked, found: found.map((vector) => [...vector]) };
}

it("asks the model with the person's keys, and makes vectors one long, however they are written", async () => {
  const bytes = Buffer.from(Float32Array.from([0, -8]).buffer).toString("base64");
  const { asked, found } = await vectorsOf([3, 4], bytes);
  expect(found).toEqual([
    [expect.closeTo(0.6), expect.closeTo(0.8)],
    [0, -1],
  ]);
  expect(asked).toEqual([
    { id: "test/embedder", keys: { openai: "ada's key" } },
    { input: ["text 0", "text 1"], encoding: "base64", caller: "ada" },
  ]);
});

const EMPTY: Vector[] = [[0, 0], [], [Number.POSITIVE_INFINITY, 1], [Number.NaN], ""];

it.each(EMPTY.map((vector) => [vector] as const))("refuses an unusable vector: %j", async (vector) => {
  await expect(vectorsOf(vector)).rejects.toMatchObject({
    code: "UPSTREAM_ERROR",
    message: "The embedding model returned an unusable vector. Set TACKLE_EMBEDDING_MODEL to another model.",
  });
});
