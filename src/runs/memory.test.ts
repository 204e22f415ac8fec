import { expect, it } from "vitest";
import type { Principal } from "../protocol/principal.ts";
import { MAX_REMEMBERED } from "../protocol/projects.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { rememberLine } from "./memory.ts";

it("a line is remembered once, in one line, and cut where it is too long", async () => {
  const store = await temporaryStore();
  const ada: Principal = { id: "ada", kind: "account" };
  expect(await rememberLine(store, ada, "  Likes\n\ttrains. ")).toBe("new");
  expect(await rememberLine(store, ada, "LIKES trains.")).toBe("known");
  expect(await rememberLine(store, ada, "Likes planes.")).toBe("new");
  expect(await rememberLine(store, { ...ada, id: "eve" }, "Likes trains.")).toBe("new");
  await rememberLine(store, ada, "x".repeat(MAX_REMEMBERED + 1));
  const lines = (await store.listMemories("ada")).map(({ text }) => text);
  expect(lines.sort()).toEqual(["Likes planes.", "Likes trains.", "x".repeat(MAX_REMEMBERED)]);
  // Every open page is told of each new line.
  const { events } = await store.readAccount("ada", 0);
  expect(events.map(({ json }) => json)).toEqual(Array(3).fill('{"type":"memory_changed"}'));
});

it("guests have twenty lines, and others a hundred", async () => {
  const store = await temporaryStore();
  const fill = async (who: Principal, most: number) => {
    for (let count = 0; count < most; count++)
      expect(await rememberLine(store, who, `Line ${count}`)).toBe("new");
    await expect(rememberLine(store, who, "One more")).rejects.toMatchObject({
      code: "STORAGE_FULL",
      publicMessage: `At most ${most} things are remembered. Delete some in the settings.`,
    });
  };
  await fill({ id: "guest", kind: "guest" }, 20);
  await fill({ id: "ada", kind: "account" }, 100);
});
