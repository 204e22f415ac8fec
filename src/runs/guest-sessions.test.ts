import { expect, it } from "vitest";
import type { Store } from "../protocol/store.ts";
import { checkGuestSessions } from "./guest-sessions.ts";

it("a guest keeps a hundred conversations, and others any number", async () => {
  const asked: unknown[] = [];
  const keeping = (count: number) =>
    ({
      async listSessions(...given: unknown[]) {
        asked.push(given);
        return Array.from({ length: count });
      },
    }) as Partial<Store> as Store;
  const guest = { id: "guest", kind: "guest" } as const;
  const full = {
    code: "STORAGE_FULL",
    publicMessage: "A guest can keep 100 conversations. Delete some, or sign in to keep more.",
  };
  await checkGuestSessions(keeping(99), guest);
  await checkGuestSessions(keeping(0), guest, 100);
  expect(asked).toEqual([
    ["guest", { limit: 100 }],
    ["guest", { limit: 100 }],
  ]);
  await expect(checkGuestSessions(keeping(100), guest)).rejects.toMatchObject(full);
  await expect(checkGuestSessions(keeping(0), guest, 101)).rejects.toMatchObject(full);
  expect(asked).toHaveLength(3);
  await checkGuestSessions(keeping(100), { id: "ada", kind: "account" });
  expect(asked).toHaveLength(3);
});
