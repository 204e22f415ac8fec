import { expect, it } from "vitest";
import type { Json } from "../protocol/json.ts";
import { createPersonalLimits } from "./personal-limits.ts";

type Settings = Record<string, Record<string, Json>>;

function limitsOver(settings: Settings, fixed?: string[]) {
  return createPersonalLimits(
    {
      getSettings: async (id) => settings[id] ?? {},
      getSettingsOfEach: async (ids, names) =>
        new Map(
          ids.map((id) => [id, Object.fromEntries(names.map((name) => [name, settings[id]?.[name] ?? {}]))]),
        ),
      putSetting: async (id, name, value) => {
        const { [name]: _, ...rest } = settings[id] ?? {};
        settings[id] = value === undefined ? rest : { ...rest, [name]: value };
      },
    },
    fixed,
  );
}

it("limits are kept, changed and removed one by one", async () => {
  const settings: Settings = {};
  const limits = limitsOver(settings);
  expect(await limits.of("ada")).toEqual({});
  expect(await limits.change("ada", { chat: 5, search: 2 })).toEqual({
    chat: 5,
    search: 2,
  });
  expect(await limits.change("ada", { chat: null })).toEqual({ search: 2 });
  expect(settings.ada).toEqual({ "account:limits": { search: 2 } });
  await limits.change("ada", { search: null });
  expect(settings.ada).toEqual({});
});

it("the limits of several people are read at once", async () => {
  const limits = limitsOver({ ada: { "account:limits": { chat: 5 } } });
  expect(await limits.ofEach(["ada", "bob"])).toEqual(
    new Map([
      ["ada", { chat: 5 }],
      ["bob", {}],
    ]),
  );
});

it("a person's own limits come before those of the role, and the owner has none", async () => {
  const limits = limitsOver({});
  await limits.changeRole("account", { chat: 5, search: 2 });
  await limits.change("ada", { chat: 7 });
  expect(await limits.applying({ id: "ada", kind: "account" })).toEqual({
    chat: 7,
    search: 2,
  });
  await limits.change("root", { chat: 1 });
  expect(await limits.applying({ id: "root", kind: "owner" })).toEqual({});
});

it("what the operator has set cannot be changed for a role", async () => {
  const settings: Settings = {};
  await limitsOver(settings).changeRole("account", { chat: 5, search: 2 });
  const limits = limitsOver(settings, ["chat"]);
  await expect(limits.changeRole("account", { chat: 9 })).rejects.toMatchObject({
    code: "CONFLICT",
    message: "The operator sets the limit chat with TACKLE_LIMITS. It cannot be changed here.",
  });
  expect(await limits.ofRole("account")).toEqual({ search: 2 });
  expect(await limits.changeRole("account", { search: 3 })).toEqual({ search: 3 });
});

it("a stored value that is broken is named", async () => {
  const limits = limitsOver({ ada: { "account:limits": "nonsense" } });
  await expect(limits.of("ada")).rejects.toThrow("The limits of ada");
  await expect(limits.ofEach(["ada"])).rejects.toThrow("The limits of ada");
});
