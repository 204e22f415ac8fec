import { expect, test } from "vitest";
import type { AccountEvent } from "../protocol/account-events.ts";
import type { Json } from "../protocol/json.ts";
import { createDrafts } from "./drafts.ts";

function memory() {
  const settings: Record<string, Json> = { "my:web": {} };
  let time = 0;
  const told: AccountEvent[] = [];
  return {
    settings,
    told,
    tellAccount: async (_: string, event: AccountEvent) => void told.push(event),
    now: async () => ++time,
    getSettings: async () => settings,
    async putSetting(_: string, name: string, value: Json | undefined) {
      if (value === undefined) delete settings[name];
      else settings[name] = value;
    },
  };
}

test("the newest drafts are kept, and other settings are left alone", async () => {
  const store = memory();
  const drafts = createDrafts(store);
  for (let count = 0; count < 30; count++) await drafts.put("u", `ses_${count}`, { text: `words ${count}` });
  const kept = await drafts.list("u");
  expect(kept).toHaveLength(20);
  expect(kept[0]).toMatchObject({ id: "ses_29", text: "words 29" });
  await drafts.put("u", "ses_29", { text: "" });
  expect((await drafts.list("u"))[0]?.id).toBe("ses_28");
  expect(store.settings["my:web"]).toEqual({});
  await drafts.put("u", "new", { text: "a new thought" });
  expect(store.told.at(-1)).toEqual({ type: "draft_changed", sessionId: "ses_29" });
});

test("what is stored and cannot be read is not a draft", async () => {
  const store = memory();
  store.settings["draft:ses_1"] = { words: 1 };
  expect(await createDrafts(store).list("u")).toEqual([]);
});
