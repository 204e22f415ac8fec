import type { Steps } from "../../protocol/slices.ts";
import { conceptWords } from "./concepts.ts";
import { addWords, childOf, createTrie, type WordTrie } from "./match-words.ts";
import type { PhraseRule } from "./phrases.ts";
import VOCABULARY from "./words/vocabulary.json" with { type: "json" };

/** Builds a trie of common words and of every word in the rules and concepts. */
export function* buildVocabulary(rules: readonly PhraseRule[]): Steps<WordTrie> {
  const vocabulary = createTrie();
  const learn = (word: string) =>
    addWords(vocabulary, word, "words", (end) => {
      end.word = 1;
    });
  for (const word of VOCABULARY.common.split("|")) learn(word);
  yield;
  for (const { words } of conceptWords()) for (const word of words.split(/[^\p{L}]+/u)) learn(word);
  for (const { lead, rest } of rules) {
    yield;
    for (const word of lead.split(/[^\p{L}]+/u)) learn(word);
    for (const [word, optional] of rest.replace(/\\[a-zA-Z]/g, " ").matchAll(/\p{L}{3,}(\?)?/gu)) {
      learn(word.replace("?", ""));
      if (optional) learn(word.slice(0, -2));
    }
  }
  return vocabulary;
}

/** Inserts spaces into text that was written without, so that as much of it as possible consists of long known words. */
export function splitWords(text: string, vocabulary: WordTrie): string {
  const best = new Float64Array(text.length + 1).fill(-Infinity);
  const from = new Int32Array(text.length + 1);
  best[0] = 0;
  const keep = (start: number, end: number, score: number) => {
    if (score <= (best[end] ?? 0)) return;
    best[end] = score;
    from[end] = start;
  };
  for (let at = 0; at < text.length; at++) {
    const here = best[at] ?? 0;
    let node: WordTrie | undefined = vocabulary;
    // A letter outside of known words costs a little.
    keep(at, at + 1, here - 1);
    for (let end = at; node; ) {
      node = childOf(node, text.charCodeAt(end++));
      if (node?.word) keep(at, end, here + (end - at - 1) ** 2);
    }
  }
  let spaced = "";
  let unknown = false;
  for (let end = text.length; end > 0; end = from[end] ?? 0) {
    const word = text.slice(from[end] ?? 0, end);
    const single = word.length === 1;
    spaced = (single && unknown ? word : `${word} `) + spaced;
    unknown = single;
  }
  return spaced;
}
