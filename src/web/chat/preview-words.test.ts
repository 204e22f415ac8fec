import { afterEach, expect, it, vi } from "vitest";
import { showLanguage } from "../text/translate.ts";
import { previewWords } from "./preview-words.ts";

vi.stubGlobal("document", { documentElement: { dataset: {} } });
afterEach(() => showLanguage("en"));

it.each([
  ['"a/notes.txt" stays as it is.', "„a/notes.txt“ bleibt, wie es ist."],
  ['Replace "a" (18 bytes) with 5 bytes of text.', "„a“ (18 bytes) durch Text ersetzen (5 bytes)."],
  [
    'Replace "a" (18 bytes) with 5 bytes of text. This cannot be undone.',
    "„a“ (18 bytes) durch Text ersetzen (5 bytes). Das lässt sich nicht rückgängig machen.",
  ],
  ['Change only line ends in "a".', "In „a“ nur die Zeilenenden ändern."],
  ['Move "a" to "b/c".', "„a“ nach „b/c“ verschieben."],
  ['Delete the file "a" (18 bytes).', "Die Datei „a“ (18 bytes) löschen."],
  ['Delete "a", which is neither a file nor a folder.', "„a“ löschen. Es ist weder Datei noch Ordner."],
  ['Delete the empty folder "a".', "Den leeren Ordner „a“ löschen."],
  [
    'Delete the folder "a" with everything in it: more than 1000 entries and what is below.',
    "Den Ordner „a“ mit allem darin löschen (Einträge: > 1000).",
  ],
  ['New file "a":\n--- a\n+++ a\n@@ -0,0 +1,1 @@\n+b', "Neue Datei „a“:\n@@ -0,0 +1,1 @@\n+b"],
])("says in the person's language what the file tool would do: %s", async (preview, words) => {
  await showLanguage("de");
  expect(previewWords(preview)).toBe(words);
});

it("leaves commands, changes and other sentences as they are", () => {
  for (const preview of ["rm -rf build", "--- a\n+++ a\n@@ -1 +1 @@\n-b\n+c", "Send it"])
    expect(previewWords(preview)).toBe(preview);
});
