import { expect, it } from "vitest";
import { isWholePatch, readPatch } from "./patch.ts";

const HUNK = "@@ -1,2 +1,2 @@\n const a = 1;\n-const b = 2;\n+const b = 3;";

it("accepts a patch whose hunks have as many lines as they say", () => {
  expect(isWholePatch(`--- a.ts\n+++ a.ts\n${HUNK}\n`)).toBe(true);
  expect(isWholePatch(`diff --git a/a.ts b/a.ts\n${HUNK}\n\\ No newline at end of file`)).toBe(true);
  expect(isWholePatch(`${HUNK}\n@@ -9 +9 @@\n-x\n+y`)).toBe(true);
});

it("refuses one that was counted wrong, in either direction", () => {
  expect(isWholePatch(`${HUNK}\n+const c = 4;`)).toBe(false);
  expect(isWholePatch("@@ -1,9 +1,9 @@\n const a = 1;\n-const b = 2;")).toBe(false);
  expect(isWholePatch("@@ -1,9 +1,9 @@\n-x\ndiff --git a/b.ts b/b.ts")).toBe(false);
});

/** Returns both lines of a change, with what changed in brackets. */
function marked(old: string, next: string): string[] {
  return readPatch(`@@ -1 +1 @@\n-${old}\n+${next}`).map((row) => {
    if (row.kind === "gap") return "";
    const ranges = row.changed ?? [];
    return ranges.reduceRight(
      (text, [from, to]) => `${text.slice(0, from)}[${text.slice(from, to)}]${text.slice(to)}`,
      row.text,
    );
  });
}

it("marks each word that changed, and not what lies between them", () => {
  expect(marked("from-indigo-50 to-sky-100 p-6", "from-green-50 to-lime-100 p-6")).toEqual([
    "from-[indigo]-50 to-[sky]-100 p-6",
    "from-[green]-50 to-[lime]-100 p-6",
  ]);
  expect(marked("const reserve = 0.08;", "const {reserve, setReserve} = useState(0.08);")).toEqual([
    "const reserve = 0.08;",
    "const [{]reserve[, setReserve}] = [useState(]0.08[)];",
  ]);
});

it("marks words that have only signs in common as a whole, and lines without a common word not at all", () => {
  expect(marked("call(one, two);", "call(three, four);")).toEqual([
    "call([one, two]);",
    "call([three, four]);",
  ]);
  expect(marked("apples", "pears")).toEqual(["apples", "pears"]);
});

it("says of a line that no line break ends it, also between two lines that are compared", () => {
  const none = "\\ No newline at end of file";
  expect(readPatch(`@@ -1 +1 @@\n-one two\n${none}\n+one three\n${none}\n`)).toEqual([
    { kind: "removed", before: 1, text: "one two", unended: true, changed: [[4, 7]] },
    { kind: "added", after: 1, text: "one three", unended: true, changed: [[4, 9]] },
  ]);
});

it("marks very long lines quickly, by their common beginning and end", () => {
  const long = (name: string) => `${name} ${"one two ".repeat(2_000)}${name}`;
  expect(marked(`a ${long("b")} z`, `a ${long("c")} z`)).toEqual([
    `a [${long("b")}] z`,
    `a [${long("c")}] z`,
  ]);
});
