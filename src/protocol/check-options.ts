import { Failure } from "./failure.ts";

/** Throws INVALID_INPUT that names the first option which a function does not know. */
export function checkOptions(what: string, options: object, known: Readonly<Record<string, true>>): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const meant = Object.keys(known).find((name) => isClose(name, unknown));
  const hint = meant ? ` Did you mean "${meant}"?` : ` There are: ${Object.keys(known).sort().join(", ")}.`;
  throw new Failure("INVALID_INPUT", `${what}: there is no option "${unknown}".${hint}`);
}

/** True for names with the same letters in another case or order, or with one more, less or other letter. */
function isClose(name: string, written: string): boolean {
  const [one, other] = [name.toLowerCase(), written.toLowerCase()];
  if ([...one].sort().join("") === [...other].sort().join("")) return true;
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return Math.max(one.length, other.length) - start - end <= 1;
}
