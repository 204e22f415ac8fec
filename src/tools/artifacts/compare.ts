import { createTwoFilesPatch } from "diff";

interface Version {
  version: number;
  code: string;
}

/** Versions that differ in more lines are shown as removed and added: the time to compare them grows with the square. */
const MOST_CHANGED_LINES = 1_000;

/** Returns the difference of two versions as a patch. */
export function patchOf(before: Version, after: Version): string {
  const [old, next] = [`version ${before.version}`, `version ${after.version}`];
  const patch = createTwoFilesPatch(old, next, before.code, after.code, undefined, undefined, {
    context: 3,
    maxEditLength: MOST_CHANGED_LINES,
  });
  return patch ?? replacement(old, next, before.code, after.code);
}

function replacement(old: string, next: string, before: string, after: string): string {
  const [removed, added] = [before.split("\n"), after.split("\n")];
  return [
    "===================================================================",
    `--- ${old}`,
    `+++ ${next}`,
    `@@ -1,${removed.length} +1,${added.length} @@`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    "",
  ].join("\n");
}
