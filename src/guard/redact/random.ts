import { entropyOf, isFiller, isPlaceholder } from "./placeholder.ts";

const SHORTEST_KEY = 10;

/** True for letters and digits without a pattern, as in keys, and not for words, versions, numbers and calls. */
export function isRandom(value: string): boolean {
  const bare = value.replace(/[.,;:!?]+$/, "");
  if (bare.length < SHORTEST_KEY || /[(){}]/.test(bare) || isFiller(bare) || isHostName(bare)) return false;
  if (/^[\d.,:TZ+-]+$/.test(bare)) return /^\d{15,}$/.test(bare);
  if (/^v?\d+\.\d+/.test(bare) && bare.length < 24) return false;
  if (/^(?:https?|ftp|file|s3|gs):\/\//.test(bare) || isMadeOfWords(bare) || isInOrder(bare)) return false;
  if (/^[A-Za-z]+(?:[-_. /:][A-Za-z]+)*$/.test(bare)) return bare.length >= 16 && looksScrambled(bare);
  if (!/\d/.test(bare)) return bare.length >= 16 && entropyOf(bare) > 3.6;
  if (bare.length < 12) return /\d/.test(bare) && /[A-Za-z]/.test(bare) && entropyOf(bare) > 2.6;
  return entropyOf(bare) > 2.7;
}

/** True for words with numbers between them: `SalesResults-1.2`, `DOC_Vector_5_32`. */
function isMadeOfWords(value: string): boolean {
  if (value.length > 60 || !/[-_.:]/.test(value)) return false;
  const parts = value.split(/[-_.:/]/);
  const isWord = (part: string) => /^(?:[A-Z]?[a-z]{2,14}|[A-Z]{2,10})$/.test(part) || isCamelCaseWords(part);
  const isNumber = (part: string) => /^(?:[A-Za-z]?\d{1,4}|v\d+)?$/.test(part);
  if (!parts.every((part) => isNumber(part) || (isWord(part) && hasVowel(part)) || isCode(part)))
    return false;
  return parts.some((part) => isWord(part) && part.length >= 3);
}

const SMALL_WORD = /^(?:As|At|By|Db|Id|If|In|Is|It|No|Of|On|Or|To|Ui|Up)$/;

/** True for at least two pronounceable words: `ContentType`, `listOfItems`. */
export function isCamelCaseWords(text: string): boolean {
  const words = text.split(/(?=[A-Z])/);
  const pronounceable = words.filter((word) => /^[A-Za-z][a-z]{2,14}$/.test(word) && hasVowel(word));
  return (
    pronounceable.length > 1 && words.every((word) => pronounceable.includes(word) || SMALL_WORD.test(word))
  );
}

/** True for a host name. */
function isHostName(value: string): boolean {
  return /^(?:[a-z\d][a-z\d-]{0,24}\.){1,6}(?:com|org|net|io|dev|app|cloud|local|internal|lan|corp|edu|gov|info|example|test|[a-z]{2})(?::\d{2,5})?$/.test(
    value,
  );
}

/** True for a short code such as `X509` or `arm64`. */
function isCode(part: string): boolean {
  return /^[A-Za-z]{1,8}\d{1,5}[a-z]{0,4}$/.test(part) || /^[a-z]{1,3}$/i.test(part);
}

function hasVowel(part: string): boolean {
  return /[aeiouyäöü]/i.test(part);
}

/** True for a written-out alphabet. */
function isInOrder(value: string): boolean {
  return /abcdefghi|ABCDEFGHI|0123456789(?:abc|ABC)/.test(value);
}

/** True for what can only be a secret. Used where only a space separates the name from the value. */
export function isCertain(value: string, password: boolean, certainName: boolean): boolean {
  const bare = value.replace(/[.,;:!?]+$/, "");
  if (!/^[\w+/=~.|:-]+$/.test(bare) || !/\d/.test(bare) || isPlaceholder(bare)) return false;
  if (certainName && bare.length >= 14 && /\d.*\d/.test(bare)) return isRandom(bare) && !isMadeOfWords(bare);
  if (!/^[\w+/=~-]+$/.test(bare) || !/[A-Za-z]/.test(bare)) return false;
  if (password) return bare.length >= 8 && entropyOf(bare) > 2.6;
  return bare.length >= 20 && /[a-z]/.test(bare) && /[A-Z]/.test(bare) && entropyOf(bare) > 3.5;
}

/** One capital, or capitals in pairs and threes before it. In the patterns with it, each name can be read in one way only. */
const CAPITALS = "[A-Z](?:[A-Z]{2,})?";
const NAME = new RegExp(
  `^!?[_$]?(?:(?:${CAPITALS})?[a-z]{2,}(?![a-z])\\d{0,2}|(?:${CAPITALS}|[a-z])\\d{1,3}(?=[A-Z])|(?:${CAPITALS})?[a-z]{3,}\\d{3}(?=[A-Z])|[A-Z]{2,}$)+$`,
);
const METHOD = new RegExp(`^[a-z]{2,}(?=[A-Z])(?:${CAPITALS}[a-z]{2,})*(?:[A-Z]{2,})?(?:\\(|\\.|$)`);

/** True for an identifier of a program: `Uint8Array`, `metadata?.signature`, `Ed25519.KeyPair`. */
export function isIdentifier(value: string): boolean {
  const bare = value.replace(/[;.]$/, "");
  if (bare.includes("?.")) return true;
  if (/^[A-Za-z]?[a-z]+\d{0,2}(?:[A-Z][a-z]+\d{0,2})+$/.test(bare)) return true;
  const parts = bare.replace(/^!/, "").split(".");
  if (parts.length === 1) return NAME.test(bare) && /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(bare);
  return parts.every((part) => NAME.test(part) || /^[A-Za-z_$][a-zA-Z_$]{0,30}\d{0,5}$/.test(part));
}

/** True for anything that can be a password, and not for a word of a sentence. */
export function isPassword(value: string, assigned: boolean): boolean {
  const bare = value.replace(/[.,;:!?]+$/, "");
  if (bare.length < 4 || METHOD.test(bare) || /^![a-z]+$/.test(bare)) return false;
  if (/\d/.test(bare) || /[^\w\s.-]/.test(bare)) return !/^[\d.:/-]+$/.test(bare) || assigned;
  return assigned && /^[A-Za-z_-]{5,}$/.test(bare) && !WORDS.test(bare);
}

const WORDS =
  /^(?:passw(?:or)?[dt]|kennwort|contrase.a|wachtwoord|senha|string|text|hidden|required|optional|secret|login|user(?:name)?|admin|null|none|true|false|undefined|hash(?:ed)?|bcrypt|argon2?|scrypt|plain(?:text)?|incorrect|invalid|wrong|missing|empty|field|input|value|current|new|old|type|auto(?:complete)?|current-password|new-password|ok|yes|no|disabled|enabled|unknown|forgot|reset|change|await|new|return|this|function|typeof)$/i;

/** True for letters in a mix of cases that no name has, or with hardly a vowel. */
function looksScrambled(value: string): boolean {
  const vowels = value.match(/[aeiou]/gi)?.length ?? 0;
  if (vowels / value.length < 0.18) return true;
  if (!/[a-z]/.test(value) || !/[A-Z]/.test(value)) return false;
  const words = value.split(/(?=[A-Z])|[-_. /:]/);
  if (words.some((word) => word.length >= 5 && !/[aeiouy]|https?/i.test(word))) return true;
  const changes = value.match(/[A-Z][a-z]?(?=[A-Z])/g)?.length ?? 0;
  return changes >= 3;
}
