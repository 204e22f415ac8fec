const PER_SESSION = 20;
const WORDS = 30_000;

/** The rows of one conversation. */
export interface Conversation {
  id: string;
  title: string;
  time: number;
  messages: { id: string; text: string; time: number; parentId: string | null }[];
}

/**
 * Makes conversations with this many messages of 60 words. All have the word "the", every thousandth has "budget" and some
 * Japanese, and one has "zanzibar". They are the same every time.
 */
export function* conversations(count: number): Generator<Conversation> {
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  // A few words are common and most are rare, as in any language.
  const word = () => `w${Math.floor(random() ** 3 * WORDS).toString(36)}`;
  const now = Date.now();
  for (let first = 0; first < count; first += PER_SESSION) {
    const made = Math.min(PER_SESSION, count - first);
    const messages = Array.from({ length: made }, (_, index) => {
      const at = first + index;
      const words = ["the", ...Array.from({ length: 60 }, word)];
      if (at % 1_000 === 7) words.push("budget", "東京タワー");
      if (at === Math.floor(count / 2)) words.push("zanzibar");
      const parentId = index === 0 ? null : `m${at - 1}`;
      return { id: `m${at}`, text: words.join(" "), time: now - (count - at) * 1000, parentId };
    });
    const time = now - (count - first) * 1000;
    yield { id: `s${first / PER_SESSION}`, title: `${word()} ${word()}`, time, messages };
  }
}

/** The queries: a word of one message, of every thousandth, of all, beginnings, several words, a phrase, none. */
export const QUERIES = [
  "zanzibar",
  "budget",
  "the",
  "th",
  "w1 w2",
  "the budget",
  "wa the w2 w3",
  '"the w1"',
  "東京",
  "nothingatall",
];
