import { isNoun, isVerb } from "./order-words.ts";

/** One order of the person: a clause that begins with what to do, and the values in it. */
export interface Order {
  verb: string;
  /** The clause behind its verb. */
  text: string;
  /** What looks like a value: quoted texts, names, numbers, addresses, dates. */
  values: readonly string[];
}

const MOST_CHARACTERS = 600;
/** Stands for each sign of a quoted text. */
const HIDDEN = "\uE000";
const QUOTED =
  /(?<![\p{L}\p{N}])(?:'([^']+)'|"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|‘([^’]+)’|«([^»]+)»|`([^`]+)`)(?![\p{L}\p{N}])/gu;
/** Words that take an order back, tie it to something, or speak of what others say. */
const DOUBT = new RegExp(
  `(?<![\\p{L}\\p{N}@./_-])(?:${[
    "not|no|nope|never|none|neither|nor|without|except|unless|instead|rather|otherwise|but|cannot|\\p{L}+n['’]t|wait|stop|undo|forget|ignore",
    "if|when|whenever|once|as soon as|in case|provided|depending|until you|maybe|perhaps|would|should|may|might|later|tomorrow|tonight|every|each|daily|weekly|monthly",
    "translate|summari[sz]e|explain|proofread|rewrite|rephrase|paraphrase|quote|quoted|mean|means|say|says|said|claims?|suggests?|asks|asked|wants|wrote|writes|tells|told|according|example|pasted|following|hypothetical(?:ly)?|pretend|imagine",
    "nicht|nie|niemals|kein|keine|keinen|keinem|keiner|ohne|außer|sondern|aber|doch|statt|stattdessen|warte|halt|vergiss",
    "wenn|falls|sobald|sofern|vielleicht|später|morgen|jeden|jede|täglich|monatlich|sollte|könnte|würde",
    "übersetze?|fasse?|zusammenfassen|erkläre?|zitiere?|sagt|sagte|schreibt|schrieb|meint|bittet|laut|beispiel|folgend\\p{L}*",
  ].join("|")})(?![\\p{L}\\p{N}]|[@./_-][\\p{L}\\p{N}])`,
  "iu",
);
const POLITE =
  /^(?:(?:please|then|also|and|now|next|first|finally|just|kindly|bitte|dann|und|nun|jetzt|auch|go ahead and|(?:can|could|will|would) you|kannst du|i(?:'d| would) like you to|i want you to)[\s,]+)*/iu;
const VALUE =
  /[\p{L}\p{N}.+_-]+@[\p{L}\p{N}.-]+|https?:\/\/\S+|[\p{L}\p{N}_-]+(?:[./:\\-][\p{L}\p{N}_%?&=#~+-]+)+|[-−]?\d[\d.,]*|\p{Lu}[\p{L}\p{N}_]*(?:\s\p{Lu}[\p{L}\p{N}_]*)*|[\p{L}]*\d[\p{L}\p{N}]*/gu;

/**
 * Returns the orders in a message of the person. Strict on purpose, because what is missed is only asked about: one short line, in which
 * each sentence begins with what to do. Nothing counts where a word takes it back, makes it depend on something or tells what
 * others say; nothing in quotes is an order, and nothing behind a colon.
 */
export function ordersIn(message: string): Order[] {
  const text = message.trim();
  if (text.length > MOST_CHARACTERS || /[\n\r\u2028\uE000<>|]/.test(text)) return [];
  const bare = text.replace(QUOTED, (quoted) => HIDDEN.repeat(quoted.length));
  if (/["“”„«»`]/u.test(bare) || DOUBT.test(afterPolite(bare))) return [];
  const orders: Order[] = [];
  let from = 0;
  for (const end of endsOf(text, bare)) {
    const [sentence, masked] = [text.slice(from, end), bare.slice(from, end)];
    from = end;
    orders.push(...ordersOf(sentence, masked));
    if (/:(?!\S)/.test(masked)) break; // What follows may be what the colon announces.
  }
  return orders;
}

/** The ends of the sentences. A quoted sentence ends the one around it if the next word is an order. */
function endsOf(text: string, bare: string): number[] {
  const ends = [...bare.matchAll(/[.!?]+(?=\s|$)/gu)].map(({ index, 0: sign }) => index + sign.length);
  for (const { index, 0: quoted } of text.matchAll(QUOTED)) {
    const end = index + quoted.length;
    if (/[.!?].$/u.test(quoted) && isVerb(firstWord(afterPolite(bare.slice(end))))) ends.push(end);
  }
  return [...ends.sort((one, other) => one - other), bare.length];
}

/** A sentence counts if it begins with what to do. Further orders in it begin behind a comma or an "and". */
function ordersOf(sentence: string, bare: string): Order[] {
  const colon = bare.search(/:(?!\S)/);
  const orders: Order[] = [];
  const from = bare.length - afterPolite(bare).length;
  if (!isVerb(firstWord(bare.slice(from)))) return [];
  const starts = [from];
  for (const { index, 0: joint } of bare.matchAll(
    /(?:[,;]\s+(?:and\s+|und\s+)?|\s+(?:and|und)\s+)(?=\S)/giu,
  )) {
    const at = index + joint.length;
    const start = bare.length - afterPolite(bare.slice(at)).length;
    const next = firstWord(bare.slice(start));
    // In "with the subject 'A' and text 'B'", `text` is a noun.
    const isLabel = bare.slice(start + next.length).startsWith(` ${HIDDEN}`) && isNoun(next);
    if (index > from && (colon === -1 || index < colon) && isVerb(next) && !isLabel) starts.push(start);
  }
  for (const [at, start] of starts.entries()) {
    const end = starts[at + 1] ?? sentence.length;
    const verb = firstWord(bare.slice(start));
    const place = start + verb.length;
    orders.push({
      verb,
      text: sentence.slice(place, end),
      values: valuesIn(sentence.slice(place, end), bare.slice(place, end)),
    });
  }
  return orders;
}

function afterPolite(text: string): string {
  return text.trimStart().replace(POLITE, "");
}

function firstWord(text: string): string {
  return /^[\p{L}]+(?![\p{L}\p{N}@./_-]*[\p{N}@/_])/u.exec(text)?.[0].toLowerCase() ?? "";
}

function valuesIn(text: string, bare: string): string[] {
  const quoted = [...text.matchAll(QUOTED)].flatMap((match) =>
    match.slice(1).filter((one) => one !== undefined),
  );
  const others = [...bare.matchAll(VALUE)]
    .map(([value]) => value.replace(/[.,!?;:]+$/, ""))
    .filter((value) => value !== "I" && !isNoun(value.toLowerCase()));
  return [...quoted, ...others];
}
