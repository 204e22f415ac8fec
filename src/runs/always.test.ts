import { describe, expect, it } from "vitest";
import type { Store } from "../protocol/store.ts";
import { temporaryStore } from "../store/testing/temporary.ts";
import { createAlways } from "./always.ts";
import { hashOf } from "./ids.ts";

/** Ada said "always" to these in her session, at these times. */
async function said(names: string[], times?: Record<string, unknown>): Promise<Store> {
  const store = await temporaryStore();
  await store.createSession({ id: "s", userId: "ada", title: "Trip" });
  await store.putSetting("ada", "always:s", names);
  if (times) await store.putSetting("ada", "alwaysAt:s", times as Record<string, number>);
  return store;
}

describe("what a person always allows", () => {
  it("is listed with its session and its time, the newest first", async () => {
    const store = await said(["old", "new", "untimed"], { old: 1_000, new: 2_000, untimed: "soon" });
    const place = { sessionId: "s", title: "Trip" };
    const idOf = (what: string) => hashOf({ sessionId: "s", what }).slice(0, 32);
    expect(await createAlways(store).list("ada")).toEqual([
      { ...place, id: idOf("new"), covers: { tool: "new" }, at: "1970-01-01T00:00:02.000Z" },
      { ...place, id: idOf("old"), covers: { tool: "old" }, at: "1970-01-01T00:00:01.000Z" },
      { ...place, id: idOf("untimed"), covers: { tool: "untimed" } },
    ]);
  });

  it("is read from the key under which it is kept", async () => {
    const scopes = {
      pay: { tool: "pay" },
      "files: write": { tool: "files", operation: "write" },
      "shell: git add …": { tool: "shell", prefix: "git add" },
      'pay: ["to: \\"Bob\\"","command: 7"]': { tool: "pay", targets: ['to: "Bob"', "command: 7"] },
      'shell: ["command: \\"make\\\\nall\\""]': {
        tool: "shell",
        command: "make\nall",
        targets: ['command: "make\\nall"'],
      },
      'shell: ["cwd: \\"/src\\"","command: \\"ls\\""]': {
        tool: "shell",
        command: "ls",
        targets: ['cwd: "/src"', 'command: "ls"'],
      },
      "odd: [not JSON": { tool: "odd", operation: "[not JSON" },
      "odd: two: parts": { tool: "odd", operation: "two: parts" },
      "odd: line\nbreak": { tool: "odd", operation: "line\nbreak" },
      'shell: ["command: \\"broken"]': { tool: "shell", targets: ['command: "broken'] },
      "pay: [7]": { tool: "pay", targets: ["7"] },
    };
    const listed = await createAlways(await said(Object.keys(scopes))).list("ada");
    expect(listed.map(({ covers }) => covers)).toEqual(Object.values(scopes));
    expect(listed.some((one) => "at" in one)).toBe(false);
  });

  it("is nothing where the session is gone or somebody else's", async () => {
    const store = await said(["pay"]);
    await store.createSession({ id: "theirs", userId: "eve", title: "" });
    await store.putSetting("ada", "always:theirs", ["pay"]);
    await store.putSetting("ada", "always:gone", ["pay"]);
    await store.putSetting("ada", "other", ["pay"]);
    expect(await createAlways(store).list("ada")).toHaveLength(1);
  });

  it("is taken back one by one, and returned once more", async () => {
    const store = await said(["pay", "send"]);
    const always = createAlways(store);
    const [pay, send] = await always.list("ada");
    expect(await always.remove("ada", pay?.id ?? "")).toEqual(pay);
    expect((await store.getSettings("ada"))["always:s"]).toEqual(["send"]);
    await expect(always.remove("ada", pay?.id ?? "")).rejects.toMatchObject({
      code: "NOT_FOUND",
      publicMessage: "There is no such approval.",
    });
    await always.remove("ada", send?.id ?? "");
    expect(await store.getSettings("ada")).not.toHaveProperty("always:s");
  });
});
