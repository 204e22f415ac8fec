/** Runs of letters and digits below U+10000, each of which is one UTF-16 unit. */
const WORDS = /(?:(?![\u{10000}-\u{10ffff}])[\p{L}\p{N}_])+/gu;
/** For so few values it takes longer to look at every word than to search. */
const FEW_VALUES = 20;
/** So many places of a value's rarest word are tried. */
const MOST_TRIED = 1_000;

/** Returns where a value appears in a text. The check decides about each place. */
export type FindValue = (value: string, isWhole: (at: number, end: number) => boolean) => number | undefined;

/**
 * Makes a text ready to look up values that appear in full in it, between words. Many values take hardly longer than few: the call of a
 * tool may have thousands of them, and the text a hundred pages.
 */
export function placesIn(text: string): FindValue {
  let values = 0;
  let words: Map<string, number[]> | undefined;

  /** Where the value may be, by its rarest word. */
  function* candidates(value: string): Generator<number> {
    if (++values > FEW_VALUES) words ??= wordPlaces(text);
    const known = [...value.matchAll(WORDS)].map(({ 0: word, index }) => ({ word, index }));
    if (!words || known.length === 0) {
      for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) yield at;
      return;
    }
    let rarest: { places: readonly number[]; index: number } | undefined;
    for (const { word, index } of known) {
      const places = words.get(word) ?? [];
      if (!rarest || places.length < rarest.places.length) rarest = { places, index };
    }
    for (const place of rarest?.places ?? []) yield place - (rarest?.index ?? 0);
  }

  return (value, isWhole) => {
    let tried = 0;
    for (const at of candidates(value)) {
      if (++tried > MOST_TRIED) return undefined;
      if (at >= 0 && text.startsWith(value, at) && isWhole(at, at + value.length)) return at;
    }
    return undefined;
  };
}

function wordPlaces(text: string): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { 0: word, index } of text.matchAll(WORDS)) {
    const places = found.get(word);
    if (places) places.push(index);
    else found.set(word, [index]);
  }
  return found;
}
