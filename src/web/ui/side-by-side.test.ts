import { expect, it } from "vitest";
import { readPatch } from "./patch.ts";
import { sideBySide } from "./side-by-side.ts";

it("puts what was removed beside what took its place, and leaves gaps where one side has more lines", () => {
  const rows = sideBySide(
    readPatch("@@ -3,4 +3,5 @@\n same\n-old one\n-old two\n+new one\n+new two\n+new three\n end\n"),
  );
  const shown = rows.map((row) =>
    "whole" in row ? row.whole.kind : [row.left?.text ?? "", row.right?.text ?? ""],
  );
  expect(shown).toEqual([
    "gap",
    ["same", "same"],
    ["old one", "new one"],
    ["old two", "new two"],
    ["", "new three"],
    ["end", "end"],
  ]);
});
