/** Words that a sentence may begin with and that say nothing. Most do so only before a comma. */
const FILLER =
  /^(?:(?:(?:okay|ok|alright|h+m+|oh|ah|so|and|but|好的|嗯)(?:[,.!:…，]+|\s)|(?:all right|well|now|wait|right|actually|yes|yeah|no|also|then|let's see|let me see|gut|nun|ja|moment)[,.!:…，]+)\s*)+/i;

/** Words that turn to something new. */
const TURN =
  /^(?:okay|alright|h+m+|wait|but wait|however|alternatively|actually|another|first|firstly|second|secondly|third|next|then|now|finally|lastly|therefore|thus|overall|in (?:conclusion|summary|short)|on the other hand|to (?:do|answer|solve|summarize)|let me|let's|i (?:should|will|need|can|must)|i'll|so,|zuerst|zunächst|als nächstes|dann|jetzt|allerdings|alternativ|andererseits|schließlich|zum schluss|also|ich (?:sollte|werde|muss)|d'abord|ensuite|enfin|cependant|primero|luego|finalmente|sin embargo)(?![\p{L}\p{N}])|^(?:首先|其次|然后|接下来|但是|不过|最后|等等|所以|因此|另外|まず|次に|しかし|最後に)/iu;

const MAX_TITLE = 60;
const MIN_CLAUSE = 18;
/** A place where a long sentence can be cut without losing its point. */
const CLAUSE =
  /[,;:](?=\s)|[，；：—–]|\s(?:\(|-\s|because|so that|so|but|which|where|while|since|although|unless|weil|aber|damit|obwohl)\b/g;

const TWELVE_LETTERS = /^(?:\P{L}*\p{L}){12}/u;

/** True for a sentence that says something: an interjection, markup or a piece of a table does not. */
export function worthATitle(sentence: string): boolean {
  if (/^[{[<|]/.test(sentence)) return false;
  return TWELVE_LETTERS.test(sentence) || /[\u3040-\u9fff\uac00-\ud7a3].{4}/.test(sentence);
}

/** True for a sentence that turns to something new. */
export function isTurn(sentence: string): boolean {
  return TURN.test(sentence);
}

/** Returns a sentence as a short title: without filler and marks, cut at a clause if it is long. */
export function summaryOf(sentence: string, maxLength = MAX_TITLE): string {
  const plain = sentence.replace(/[*`]+|^>+\s*/g, "").trim();
  const said = plain.replace(FILLER, "");
  const text = capitalized(worthATitle(said) ? said : plain).replace(/(?<![\s.,:;。])[\s.,:;。]+$/, "");
  if (text.length <= maxLength) return text;
  let clause = 0;
  for (const { index } of text.slice(0, maxLength + 1).matchAll(CLAUSE)) clause = index;
  if (clause >= MIN_CLAUSE) return text.slice(0, clause).replace(/[\s,;:]+$/, "");
  const space = text.lastIndexOf(" ", maxLength - 1);
  return `${text.slice(0, space >= MIN_CLAUSE ? space : maxLength - 1).toWellFormed()}…`;
}

function capitalized(text: string): string {
  const [first = ""] = text;
  return first.toUpperCase() + text.slice(first.length);
}
