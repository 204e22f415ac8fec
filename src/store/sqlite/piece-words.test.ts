import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openSqliteStore } from "../sqlite.ts";

it.each([30, 130])(
  "%i pieces of a file leave with their words, and others can still be searched",
  async (count) => {
    const folder = mkdtempSync(join(tmpdir(), "tackle-pieces-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const store = await openSqliteStore({ path: join(folder, "tackle.db") });
    await store.addProject({ id: "prj", userId: "ada", value: { name: "", instructions: "" } }, 5);
    for (const [fileId, word] of [
      ["gone", "quokka"],
      ["kept", "wombat"],
    ] as const) {
      await store.addFile({ id: fileId, userId: "ada", name: "a", mimeType: "text/plain", size: 1 }, 100);
      await store.addProjectFile("prj", fileId, 5);
      const pieces = Array.from({ length: count }, (_, at) => ({
        place: `line ${at}`,
        text: `${word} ${at}`,
      }));
      await store.addPieces(fileId, "prj", pieces);
    }
    await store.removePieces({ fileId: "gone" });
    expect(await store.searchPieces(["prj"], "quokka", 500)).toEqual([]);
    expect(await store.searchPieces(["prj"], "wombat", 500)).toHaveLength(count);
    await store.close();
    const bytes = Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
    expect(bytes.includes("wombat")).toBe(true);
    expect(bytes.includes("quokka")).toBe(false);
  },
);
