// How texts and queries are split into words. Both engines index what this returns, so that they find the same.

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that are written without spaces, and Hangul, whose words carry their particles. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+/gu;
const HAS_UNSPACED = new RegExp(UNSPACED.source, "u");
const IS_ASCII = /^[\0-\x7f]*$/;
const LIGATURES: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  þ: "th",
  ı: "i",
  ħ: "h",
};
/** What is longer is no word, but data. */
const MAX_WORD = 40;
const MAX_QUERY = 500;
const MAX_TERMS = 12;

/** A word, or one character of a script without spaces, with its place in the text. */
export interface Piece {
  start: number;
  end: number;
  /** Without case and diacritics. */
  word: string;
  /** Continues the piece before it, in a script without spaces. */
  joined?: true;
}

/** What a text must contain: these pieces after one another. */
export interface Term {
  pieces: string[];
  /** The last piece may be the beginning of a longer word. */
  prefix: boolean;
  unspaced: boolean;
}

/** Returns a word without case and diacritics. */
export function fold(word: string): string {
  if (IS_ASCII.test(word)) return word.toLowerCase().slice(0, MAX_WORD);
  const plain = word
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[ßæœøđðłþıħ]/g, (letter) => LIGATURES[letter] ?? letter)
    .replace(/[^\p{L}\p{N}\p{M}]/gu, "");
  return plain.normalize("NFC").slice(0, MAX_WORD);
}

/** Yields the pieces of a text in order. */
export function* piecesOf(text: string): Generator<Piece> {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (IS_ASCII.test(word) || !HAS_UNSPACED.test(word)) {
      yield { start: index, end: index + word.length, word: fold(word) };
      continue;
    }
    let at = 0;
    for (const run of word.matchAll(UNSPACED)) {
      if (run.index > at) yield plainPiece(word, index, at, run.index);
      at = run.index + run[0].length;
      let start = index + run.index;
      let isFirst = true;
      for (const character of run[0]) {
        const piece = { start, end: start + character.length, word: fold(character) };
        start = piece.end;
        if (piece.word === "") continue;
        yield isFirst ? piece : { ...piece, joined: true };
        isFirst = false;
      }
    }
    if (at < word.length) yield plainPiece(word, index, at, word.length);
  }
}

function plainPiece(word: string, index: number, from: number, to: number): Piece {
  return { start: index + from, end: index + to, word: fold(word.slice(from, to)) };
}

function isUnspaced(word: string): boolean {
  return HAS_UNSPACED.test(word);
}

/** Returns what is indexed of a text: its words, and each two neighboring characters of scripts without spaces. */
export function indexedWords(text: string): string[] {
  const words: string[] = [];
  let former: string | undefined;
  for (const { word, joined } of piecesOf(text)) {
    if (former !== undefined) words.push(joined ? former + word : former);
    if (isUnspaced(word)) former = word;
    else {
      former = undefined;
      if (word !== "") words.push(word);
    }
  }
  if (former !== undefined) words.push(former);
  return words;
}

/** Returns what a query asks for. Words in quotation marks must follow one another; the others may be in any order. */
export function termsOf(query: string): Term[] {
  const terms = new Map<string, Term>();
  for (const { 1: quoted, 2: plain } of query.slice(0, MAX_QUERY).matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    for (const term of runsOf(quoted ?? plain ?? "", quoted === undefined)) {
      const key = `${term.prefix} ${term.pieces.join(" ")}`;
      if (terms.size < MAX_TERMS) terms.set(key, term);
    }
  }
  const all = [...terms.values()];
  const last = all.at(-1);
  // While a person types, the first letter of the next word must not hide what was found.
  const isOneLetter = last && !last.unspaced && /^\p{L}$/u.test(last.pieces.join(""));
  if (all.length > 1 && isOneLetter && !/\s$/.test(query)) all.pop();
  return all;
}

/** Splits a part of a query where scripts with and without spaces meet. */
function* runsOf(text: string, mayContinue: boolean): Generator<Term> {
  let term: Term | undefined;
  for (const { word, joined } of piecesOf(text)) {
    if (word === "") continue;
    const unspaced = isUnspaced(word);
    if (term && term.unspaced === unspaced && (!unspaced || joined)) {
      term.pieces.push(word);
      continue;
    }
    if (term) yield finished(term, mayContinue);
    term = { pieces: [word], prefix: false, unspaced };
  }
  if (term) yield finished(term, mayContinue);
}

function finished(term: Term, mayContinue: boolean): Term {
  const last = term.pieces.at(-1) ?? "";
  return { ...term, prefix: mayContinue && !term.unspaced && last.length > 1 };
}

/** Returns the words of the index that a term stands for, and whether the last one is only the beginning of a word. */
export function indexedTerm({ pieces, prefix, unspaced }: Term): { words: string[]; prefix: boolean } {
  if (!unspaced) return { words: pieces, prefix };
  if (pieces.length === 1) return { words: pieces, prefix: true };
  return { words: pieces.slice(1).map((piece, at) => (pieces[at] ?? "") + piece), prefix: false };
}
