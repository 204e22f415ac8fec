import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SETTING_NAMES, unknownSettings } from "./setting-names.ts";

test("the names are those that the page about settings describes", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/settings.md"), "utf8");
  expect(SETTING_NAMES).toEqual([...new Set(page.match(/TACKLE_[A-Z0-9_]+/g))].toSorted());
});

test("a slip in a name is noticed, with the name that is meant", () => {
  expect(unknownSettings({ TACKLE_MODLE: "demo/demo", TACKLE_MODEL: "demo/demo", PATH: "/bin" })).toEqual([
    "There is no setting TACKLE_MODLE. Do you mean TACKLE_MODEL?",
  ]);
  expect(unknownSettings({ TACKLE_SOMETHING_ELSE: "1" })).toEqual([
    "There is no setting TACKLE_SOMETHING_ELSE.",
  ]);
});
