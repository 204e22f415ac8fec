import { expect, it } from "vitest";
import { fileNameFrom } from "./file-names.ts";

it.each([
  ["Lisbon office: budget and desks", "Lisbon office budget and desks.md"],
  ["../../etc/passwd", "etc passwd.md"],
  ["東京の時刻", "東京の時刻.md"],
  ["a\u0000b\r\nc\u202egnp.exe", "a b c gnp.exe.md"],
  ["con", "conversation con.md"],
  ["  ...  ", "conversation.md"],
  ["", "conversation.md"],
  ["lone \ud800 half", "lone \ufffd half.md"],
])("names a file after %j", (title, name) => {
  expect(fileNameFrom(title, "md")).toBe(name);
});

it("keeps long titles short without cutting a character in two", () => {
  expect(fileNameFrom("😀".repeat(200), "json")).toBe(`${"😀".repeat(80)}.json`);
});
