import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accountsFolder, openTestAccounts, type TestAccounts } from "./testing/accounts.ts";

const folders: { path: string; remove(): void }[] = [];
let opened: TestAccounts;
let path: string;
beforeEach(async () => {
  const folder = accountsFolder();
  folders.push(folder);
  path = folder.path;
  opened = await openTestAccounts(path);
});
afterEach(async () => {
  await opened.close();
  for (const folder of folders.splice(0)) folder.remove();
});

test("a stored key is shown only by its last four characters", async () => {
  const { personalSettings, store } = opened;
  const listing = await personalSettings.change("ada", {
    settings: { theme: "dark" },
    keys: { openai: "sk-very-secret-1234" },
  });
  expect(listing).toEqual({ settings: { theme: "dark" }, keys: { openai: { lastFour: "1234" } } });
  expect(await personalSettings.read("ada")).toEqual(listing);
  expect(await personalSettings.keysOf("ada")).toEqual({ openai: "sk-very-secret-1234" });
  expect(await personalSettings.keysOf("bob")).toEqual({});
  // The account's feed says that something has changed, and no more.
  const { events } = await store.readAccount("ada", 0);
  expect(events.map(({ json }) => json)).toEqual(['{"type":"settings_changed"}']);
});

test("null removes a setting, and settings that are not named stay", async () => {
  const { personalSettings } = opened;
  await personalSettings.change("ada", {
    settings: { theme: "dark", model: "x/y" },
    keys: { openai: "sk-1234567890", zai: "zk-1234567890" },
  });
  expect(await personalSettings.change("ada", { settings: { theme: null }, keys: { openai: null } })).toEqual(
    {
      settings: { model: "x/y" },
      keys: { zai: { lastFour: "7890" } },
    },
  );
});

test("no key is stored in plain text, and a key copied to another user's row cannot be decrypted", async () => {
  const { personalSettings, store } = opened;
  await personalSettings.change("ada", { settings: {}, keys: { openai: "sk-very-secret-1234" } });
  const database = new DatabaseSync(`${path}/tackle.db`);
  const rows = database.prepare("SELECT * FROM user_settings").all();
  database.close();
  expect(JSON.stringify(rows)).not.toContain("secret");
  expect(rows).toHaveLength(1);
  await store.putSetting("bob", "key:openai", (await store.getSettings("ada"))["key:openai"]);
  expect(await personalSettings.keysOf("bob")).toEqual({});
});

test("users cannot change what the server stores about them through their settings", async () => {
  const { personalSettings, store, suspensions } = opened;
  await suspensions.set("ada", true);
  await store.putSetting("ada", "always:session", ["filesystem"]);
  await personalSettings.change("ada", { settings: { "account:suspended": false, always: 1 }, keys: {} });
  expect(await suspensions.has("ada")).toBe(true);
  expect((await personalSettings.read("ada")).settings).toEqual({ "account:suspended": false, always: 1 });
});

test("an unknown vendor is refused with a list of the known ones, and settings are limited in number", async () => {
  const { personalSettings } = opened;
  await expect(
    personalSettings.change("ada", { settings: {}, keys: { nobody: "12345678" } }),
  ).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringContaining("openai, zai"),
  });
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`s${index}`, index]));
  await expect(personalSettings.change("ada", { settings: many, keys: {} })).rejects.toMatchObject({
    code: "INVALID_INPUT",
  });
  expect((await personalSettings.read("ada")).settings).toEqual({});
});
