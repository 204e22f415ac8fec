import { expect, it } from "vitest";
import { atOnce } from "../../protocol/slices.ts";
import { addWords, createTrie } from "./match-words.ts";
import type { PhraseRule } from "./phrases.ts";
import { buildVocabulary, splitWords } from "./split-words.ts";

const rule: PhraseRule = {
  label: "persona",
  weight: 1,
  lead: "wombat|kiwi-bird",
  rest: " (?:quolls?|\\bnumbat)",
};

function vocabularyOf(...words: string[]) {
  const trie = createTrie();
  for (const word of words)
    addWords(trie, word, "words", (end) => {
      end.word = 1;
    });
  return trie;
}

it("a text without spaces is split into the longest known words", () => {
  const vocabulary = vocabularyOf("the", "there", "rein", "in", "is", "old");
  expect(splitWords("theold", vocabulary)).toBe("the old ");
  expect(splitWords("therein", vocabulary)).toBe("there in ");
  expect(splitWords("", vocabulary)).toBe("");
});

it("letters outside of known words stay together", () => {
  const vocabulary = vocabularyOf("the", "old");
  expect(splitWords("thexyzold", vocabulary)).toBe("the xyz old ");
  expect(splitWords("xyz", vocabulary)).toBe("xyz ");
  expect(splitWords("oldxthe", vocabulary)).toBe("old x the ");
});

it("the words of rules, of concepts and common ones are known", () => {
  const vocabulary = atOnce(buildVocabulary([rule]));
  expect(splitWords("wombatandkiwibird", vocabulary)).toBe("wombat and kiwi bird ");
  expect(splitWords("quollquollsnumbat", vocabulary)).toBe("quoll quolls numbat ");
  expect(splitWords("ignoretheethics", vocabulary)).toMatch(/^ignor/);
});
