import { expect, test, vi } from "vitest";
import { Failure } from "../protocol/failure.ts";
import type { FoundPiece } from "../protocol/projects.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { startFileEmbedder } from "./embed-files.ts";
import type { Meaning } from "./meaning.ts";
import { merged, searchFiles } from "./search-files.ts";

const PIECES = 70;
const log = { warn: vi.fn() };

/** A project with one file of many pieces, of which the last is about chairs. */
async function withFile(userId = "local") {
  const store = await temporaryStore();
  await store.addProject({ id: "prj", userId, value: { name: "", instructions: "" } }, 5);
  await store.addFile({ id: "file", userId, name: "a.txt", mimeType: "text/plain", size: 3 }, 1_000);
  await store.addProjectFile("prj", "file", 5);
  const pieces = Array.from({ length: PIECES }, (_, at) => ({
    place: `line ${at + 1}`,
    text: `piece ${at}`,
  }));
  await store.addPieces("file", "prj", [...pieces.slice(1), { place: "line 70", text: "chairs" }]);
  await store.finishProjectFile("file", 100);
  return store;
}

/** Chairs and seats mean the same, and everything else something else. */
function meaningWith(asked: string[], fail?: (texts: readonly string[]) => void): Meaning {
  return {
    model: "demo/demo",
    async vectorsOf(_, texts) {
      fail?.(texts);
      asked.push(...texts);
      return texts.map((text) => Float32Array.from(/chairs|seats/.test(text) ? [1, 0] : [0, 1]));
    },
  };
}

test("a file is embedded in the background, and found by words that it does not have", async () => {
  const store = await withFile();
  const asked: string[] = [];
  const meaning = meaningWith(asked);
  const embedder = startFileEmbedder({ store, meaning, leaseMs: 5_000, log });
  await vi.waitFor(() => expect(asked).toHaveLength(PIECES));
  await embedder.close();
  const principal = { id: "local", kind: "owner" } as const;
  const search = (parts: { meaning?: Meaning }) =>
    searchFiles({ store, log, ...parts }, principal, "prj", "seats", 3, AbortSignal.timeout(5_000));
  expect(await search({ meaning })).toMatchObject([{ text: "chairs", place: "line 70", name: "a.txt" }]);
  expect(await search({})).toEqual([]);
  const broken = meaningWith([], () => {
    throw new Failure("UPSTREAM_ERROR", "It is down.");
  });
  expect(await search({ meaning: broken })).toEqual([]);
});

test.each([
  ["local", "owner"],
  ["guest_1", "guest"],
  ["ada", "account"],
])("whoever added a file pays for it: %s as %s", async (id, kind) => {
  const store = await withFile(id);
  const payers: unknown[] = [];
  const meaning: Meaning = {
    model: "demo/demo",
    async vectorsOf(principal, texts) {
      payers.push(principal);
      return texts.map(() => Float32Array.from([1, 0]));
    },
  };
  const embedder = startFileEmbedder({ store, meaning, leaseMs: 5_000, log });
  await vi.waitFor(() => expect(payers[0]).toEqual({ id, kind }));
  await embedder.close();
});

test("a process that was killed half way loses nothing, and nothing is asked for twice", async () => {
  const store = await withFile();
  const asked: string[] = [];
  const killed = meaningWith(asked, () => {
    if (asked.length > 0) throw new Failure("UPSTREAM_ERROR", "Gone.");
  });
  const first = startFileEmbedder({ store, meaning: killed, leaseMs: 5_000, log });
  await vi.waitFor(() => expect(log.warn).toHaveBeenCalled());
  await first.close();
  expect(asked).toHaveLength(32);
  await store.holdUnembedded("file", 0);
  const second = startFileEmbedder({ store, meaning: meaningWith(asked), leaseMs: 5_000, log });
  await vi.waitFor(() => expect(asked).toHaveLength(PIECES));
  await second.close();
  const third = startFileEmbedder({ store, meaning: meaningWith(asked), leaseMs: 5_000, log });
  await third.close();
  expect(new Set(asked).size).toBe(PIECES);
});

test("a process that stops does not wait for an answer, and another one goes on at once", async () => {
  const store = await withFile();
  const asked: string[] = [];
  const waiting = Promise.withResolvers<void>();
  const slow: Meaning = {
    model: "demo/demo",
    vectorsOf: (_, __, signal) => {
      waiting.resolve();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  };
  const first = startFileEmbedder({ store, meaning: slow, leaseMs: 60_000, log });
  await waiting.promise;
  await first.close();
  const second = startFileEmbedder({ store, meaning: meaningWith(asked), leaseMs: 60_000, log });
  await vi.waitFor(() => expect(asked).toHaveLength(PIECES));
  await second.close();
});

test("a file whose vendor is slow is not taken by another process", async () => {
  const store = await withFile();
  const leaseMs = 5_000;
  const taken: unknown[] = [];
  const meaning: Meaning = {
    model: "demo/demo",
    async vectorsOf(_, texts) {
      // Another process, which looks again when the lease would be over.
      const later = (await store.now()) + leaseMs + 1;
      taken.push(await store.claimUnembedded("demo/demo", later, later + leaseMs));
      return texts.map(() => Float32Array.from([1, 0]));
    },
  };
  const embedder = startFileEmbedder({ store, meaning, leaseMs, log });
  await vi.waitFor(() => expect(taken.length).toBeGreaterThanOrEqual(PIECES / 32));
  await embedder.close();
  expect(new Set(taken)).toEqual(new Set([undefined]));
});

test("what both searches find comes before what one finds", () => {
  const piece = (id: number): FoundPiece => ({ id, fileId: "f", name: "n", place: "line 1", text: "t" });
  const ids = merged([[1, 2, 3].map(piece), [4, 3].map(piece)]).map(({ id }) => id);
  expect(ids).toEqual([3, 1, 4, 2]);
});
