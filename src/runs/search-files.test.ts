import { describe, expect, it } from "vitest";
import type { Principal } from "../protocol/principal.ts";
import type { FoundPiece, Project } from "../protocol/projects.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import type { Meaning } from "./meaning.ts";
import { personalContext } from "./personal-tools.ts";
import { type FileSearchParts, merged, searchFiles } from "./search-files.ts";
import type { PersonalText } from "./session-instructions.ts";

const ada: Principal = { id: "ada", kind: "account" };
const running = new AbortController().signal;
const piece = (id: number, place = ""): FoundPiece => ({
  id,
  fileId: "f",
  name: "a.txt",
  place,
  text: `${id}`,
});

/** A search that finds these pieces, and what it was asked. */
function search(words: FoundPiece[], near: FoundPiece[] = [], vectorsOf?: Meaning["vectorsOf"]) {
  const asked: unknown[] = [];
  const warned: unknown[] = [];
  const parts: FileSearchParts = {
    store: {
      async searchPieces(...given) {
        asked.push(["words", ...given]);
        return words;
      },
      async nearestPieces(...given) {
        asked.push(["near", ...given]);
        return near;
      },
    },
    ...(vectorsOf ? { meaning: { model: "some/model", vectorsOf } } : {}),
    log: { warn: (facts, message) => warned.push({ ...facts, message }) },
  };
  const find = (most: number, signal = running) => searchFiles(parts, ada, "prj", "seats", most, signal);
  return { find, asked, warned };
}

describe("searching files", () => {
  it("merges what was found by words and by meaning, and returns as many as wanted", async () => {
    const vector = Float32Array.from([1, 0]);
    const texts: unknown[] = [];
    const { find, asked } = search(
      [piece(1), piece(2, "line 7")],
      [piece(2), piece(3)],
      async (who, input) => {
        texts.push(who, input);
        return [vector];
      },
    );
    expect(await find(2)).toEqual([piece(2, "line 7"), piece(1)]);
    expect(await find(9)).toHaveLength(3);
    expect(texts.slice(0, 2)).toEqual([ada, ["seats"]]);
    expect(asked.slice(0, 2)).toEqual([
      ["words", ["prj"], "seats", 24],
      ["near", "prj", "some/model", vector, 24],
    ]);
  });

  it("asks for no more than wanted where there is no model of meanings", async () => {
    const { find, asked } = search([piece(1)]);
    expect(await find(3)).toEqual([piece(1)]);
    expect(asked).toEqual([["words", ["prj"], "seats", 3]]);
  });

  it("goes on with words alone where the meaning cannot be asked for, and says so in the log", async () => {
    const away = new Error("away");
    const { find, warned } = search([piece(1)], [], () => Promise.reject(away));
    expect(await find(3)).toEqual([piece(1)]);
    expect(warned).toEqual([
      { err: away, model: "some/model", message: "could not search files by meaning" },
    ]);
    const silent = search([piece(1)], [piece(9)], async () => []);
    expect(await silent.find(3)).toEqual([piece(1)]);
  });

  it("fails where the run was stopped", async () => {
    const stop = new AbortController();
    const { find, warned } = search([piece(1)], [], async (_, __, signal) => {
      stop.abort(new Error("stopped"));
      signal.throwIfAborted();
      return [];
    });
    await expect(find(3, stop.signal)).rejects.toThrow("stopped");
    expect(warned).toEqual([]);
  });

  it("puts first what stands high in one list, or in both", () => {
    const ids = (...lists: number[][]) =>
      merged(lists.map((list) => list.map((id) => piece(id)))).map(({ id }) => id);
    expect(ids([1, 2, 3], [3, 4])).toEqual([3, 1, 2, 4]);
    expect(ids([1, 2], [3])).toEqual([1, 3, 2]);
  });
});

describe("the tools of a person", () => {
  const parts = { log: { warn: () => {} } };
  const contextOf = async (personal: PersonalText | undefined) => {
    const store = await temporaryStore();
    await store.createSession({ id: "s", userId: "ada", title: "" });
    return {
      store,
      context: personalContext({ store, ...parts }, ada, { sessionId: "s" }, personal, running),
    };
  };
  const personal: PersonalText = { blocks: [], outside: [], isMemoryOn: false };

  it("remember only where that is switched on, with the session", async () => {
    expect((await contextOf(undefined)).context).toEqual({});
    expect((await contextOf(personal)).context).toEqual({});
    const { context, store } = await contextOf({ ...personal, isMemoryOn: true });
    expect(Object.keys(context)).toEqual(["remember"]);
    expect(await context.remember?.(" Likes\n trains. ")).toBe("new");
    expect(await context.remember?.("likes TRAINS.")).toBe("known");
    expect(await store.listMemories("ada")).toMatchObject([{ text: "Likes trains.", sessionId: "s" }]);
  });

  it("search the files of the project while its owner may, with an address that opens the page", async () => {
    const { context, store } = await contextOf({
      ...personal,
      project: { id: "prj" } as Project,
    });
    expect(Object.keys(context)).toEqual(["searchFiles"]);
    expect(await context.searchFiles?.("chairs", 5)).toEqual([]);
    await store.addProject({ id: "prj", userId: "ada", value: { name: "", instructions: "" } }, 5);
    await store.addFile({ id: "file", userId: "ada", name: "a", mimeType: "text/plain", size: 3 }, 1_000);
    await store.addProjectFile("prj", "file", 5);
    await store.addPieces("file", "prj", [
      { place: "page 12", text: "chairs" },
      { place: "line 3", text: "more chairs" },
      { place: "page 1 of 2", text: "chairs again" },
    ]);
    await store.finishProjectFile("file", 100);
    const found = (await context.searchFiles?.("chairs", 5)) ?? [];
    expect(Object.fromEntries(found.map(({ place, url }) => [place, url]))).toEqual({
      "page 12": "/projects/prj/files/file#page=12",
      "line 3": "/projects/prj/files/file",
      "page 1 of 2": "/projects/prj/files/file",
    });
    expect(await context.searchFiles?.("chairs", 1)).toHaveLength(1);
  });
});
