import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createTackle } from "./embed.ts";
import { rehearse } from "./rehearse.ts";

test("a rehearsal leaves nothing behind, in the store or on disk", async () => {
  const temporary = mkdtempSync(join(tmpdir(), "rehearsal-"));
  vi.stubEnv("TMPDIR", temporary);
  const tackle = await createTackle({ model: "demo/demo", settings: { TACKLE_LOG: "silent" } });
  const { store } = tackle.internals;
  const before = { stats: await store.stats(), folders: readdirSync(temporary) };

  expect(await rehearse({ store })).toBeGreaterThan(40);

  expect({ stats: await store.stats(), folders: readdirSync(temporary) }).toEqual(before);
  await tackle.close();
  expect(readdirSync(temporary)).toEqual([]);
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true });
});
