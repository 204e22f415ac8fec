import { type Mark, plainMark } from "./mark.ts";

/** What is shorter could be any word. */
const SHORTEST = 12;
const MOST_PASSING = 200;

/** Secrets of this process itself, by how many instances in it have them. */
const own = new Map<string, number>();
/** Secrets that were handed out lately, such as a user's key for a vendor; the oldest give way. */
const passing = new Set<string>();

/** Has these very values taken out of every text from now on, whatever they look like; answers how to end that. */
export function knowSecrets(values: Iterable<string>): () => void {
  const added = spellingsOf(values);
  for (const value of added) own.set(value, (own.get(value) ?? 0) + 1);
  return () => {
    for (const value of added.splice(0)) {
      const left = (own.get(value) ?? 0) - 1;
      if (left > 0) own.set(value, left);
      else own.delete(value);
    }
  };
}

/** The same for values that come and go: the newest of them are known. */
export function notePassingSecrets(values: Iterable<string>): void {
  for (const value of spellingsOf(values)) {
    passing.delete(value);
    passing.add(value);
  }
  for (const oldest of passing) {
    if (passing.size <= MOST_PASSING) break;
    passing.delete(oldest);
  }
}

/** Takes out what is known to be secret by its very characters. */
export function redactKnown(text: string, mark: Mark = plainMark): string {
  let clean = text;
  for (const values of [own.keys(), passing])
    for (const value of values) if (clean.includes(value)) clean = clean.replaceAll(value, mark("key"));
  return clean;
}

/** A value as it is and as an address spells it; the longest first, so that none is left in part. */
function spellingsOf(values: Iterable<string>): string[] {
  const spelled = [...values]
    .filter((value) => value.length >= SHORTEST && new Set(value).size > 4)
    .flatMap((value) => [value, encodeURIComponent(value.toWellFormed())]);
  return [...new Set(spelled)].sort((one, other) => other.length - one.length);
}
