import type { TextKey } from "../text/english.ts";
import { t } from "../text/t.ts";

/** What the file tool says a call would do, as it says it in English. */
const SENTENCES: readonly [RegExp, TextKey, ...string[]][] = [
  [/^New file "(.+)":$/, "previewNew", "name"],
  [/^Replace "(.+)" \(([^)]+)\) with (.+) of text\.$/, "previewReplace", "name", "size", "text"],
  [
    /^Replace "(.+)" \(([^)]+)\) with (.+) of text\. This cannot be undone\.$/,
    "previewReplaceForGood",
    "name",
    "size",
    "text",
  ],
  [/^"(.+)" stays as it is\.$/, "previewSame", "name"],
  [/^Change only line ends in "(.+)"\.$/, "previewLineEnds", "name"],
  [/^Move "(.+)" to "(.+)"\.$/, "previewMove", "from", "to"],
  [/^Delete the file "(.+)" \(([^)]+)\)\.$/, "previewDeleteFile", "name", "size"],
  [/^Delete "(.+)", which is neither a file nor a folder\.$/, "previewDeleteOther", "name"],
  [/^Delete the empty folder "(.+)"\.$/, "previewDeleteEmpty", "name"],
  [
    /^Delete the folder "(.+)" with everything in it: ((?:more than )?\d+) entr(?:y|ies) and what is below\.$/,
    "previewDeleteFolder",
    "name",
    "entries",
  ],
];

/** Returns what a call of the file tool would do in the person's language: its first line, where that is a sentence. */
export function previewWords(preview: string): string {
  const end = preview.indexOf("\n");
  const line = end === -1 ? preview : preview.slice(0, end);
  for (const [pattern, key, ...names] of SENTENCES) {
    const found = pattern.exec(line);
    if (!found) continue;
    const values = names.map((name, at) => [name, (found[at + 1] ?? "").replace(/^more than /, "> ")]);
    const rest = end === -1 ? "" : preview.slice(end);
    // The sentence has the name of the file already.
    return t(key, Object.fromEntries(values)) + rest.replace(/^\n--- .*\n\+\+\+ .*(?=\n@@ )/, "");
  }
  return preview;
}
