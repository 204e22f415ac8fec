import { entropyOf, isPlaceholder } from "./placeholder.ts";

/** The words by which a name says that its value is secret. */
const SECRET_WORD =
  /passw(?:or)?d|passphrase|passwort|kennwort|contraseña|pwd|passcode|secret|token|api[-_. ]?key|apikey|access[-_. ]?key|private[-_. ]?key|client[-_. ]?(?:id|key)|account[-_. ]?key|auth|credential|(?<![a-z])key(?![a-z])|[a-z]Key(?![a-z])|[-_]key(?![a-z])|_KEY\b|signature|(?<![a-z])sig(?![a-z])|encryption|bearer|(?<![a-z])pass(?![a-z])|jwt|licen[cs]e[-_]?key|webhook|dsn|salt|(?<![a-z])pin(?![a-z])|\botp\b/gi;

const PASSWORD = /passw|passphrase|pwd|passcode|kennwort|contraseña|(?<![a-z])pass(?![a-z])/i;

/** Names with such a word in them that hold nothing secret. */
const HARMLESS_NAME =
  /public|publishable|idempotency|primary[-_]?key|foreign|cache|sort[-_]?key|partition|object[-_]?key|row[-_]?key|index|hot[-_]?key|short[-_]?key|(?<!ac)count|max|(?<![a-z])min_|limit|usage|tokens\b|tokeni[sz]|keyword|keyboard|monkey|turkey|token[-_]?type|secret[-_]?name|key[-_]?name|key[-_]?type|author|(?:next|previous|page|continuation|sync)[-_]?token|expires|ttl|length|timeout|policy|algorithm|_url\b|uri\b|endpoint|path|file(?:name)?\b|dir\b|strategy|method|provider|enabled|required|hint|field|label|column|format|version|authenticated|key[-_]?down|key[-_]?up|sha\d|hash|fingerprint|checksum|md5|s3[-_]?key|translation|registry|input_token|output_token/i;

const BACKWARDS = 48;
const VALUE =
  /(?:(\\?["'`])([^"'`\n\\]{3,400})|([^\s"'`,;<>(){}[\]\\&|=][^\s"'`,;<>(){}[\]\\&|=]{2,400}={0,3}))/;
const ASSIGNED = new RegExp(
  /([\w.\- ]{0,30}?)(?:\\?["'`\])]){0,3}(?:[ \t]{1,3}value)?(?:: ?&?[A-Za-z][\w<>.]{0,20}(?= ?=))?[ \t]{0,4}(?:===?|=>|->|:=|\?=|=|::?|\|\||,|>|%3D|\bis\b|\bwas\b)[ \t]{0,4}(?:\r?\n[ \t]{0,8})?(?:(?:new |String |string |str |b|f|r|u)?)/
    .source + VALUE.source,
  "y",
);
/** Nothing but a space between the name and the value: `invalid api key …`, `--password …`. */
const BESIDE = new RegExp(/()[ \t]{1,2}/.source + VALUE.source, "y");

/** Takes out the values beside names that call them secret: `api_key = "…"`, `password: …`, `<token>…</token>`. */
export function redactAssignments(text: string): string {
  let clean = "";
  let done = 0;
  for (const word of text.matchAll(SECRET_WORD)) {
    if (word.index < done) continue;
    const end = word.index + word[0].length;
    const found =
      secretBehind(text, word.index, end, ASSIGNED) ?? secretBehind(text, word.index, end, BESIDE);
    if (!found) continue;
    clean += `${text.slice(done, found.start)}[secret]`;
    done = found.end;
  }
  return clean + text.slice(done);
}

function secretBehind(text: string, start: number, end: number, pattern: RegExp) {
  pattern.lastIndex = end;
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [whole, after = "", quote, inQuotes, bare] = match;
  const value = inQuotes ?? bare ?? "";
  const valueEnd = end + whole.length;
  const valueStart = valueEnd - value.length;
  if (value.length < 4) return undefined;
  if (quote === undefined && text.charAt(valueEnd) === "(") return undefined;
  const name = nameAround(text, start, end, after);
  const sample = value.slice(0, 120);
  const secret =
    pattern === BESIDE
      ? !HARMLESS_NAME.test(name) && isCertain(sample, PASSWORD.test(name))
      : isSecret(name, text.slice(end + after.length, valueStart), sample, quote !== undefined);
  return secret ? { start: valueStart, end: valueEnd } : undefined;
}

function nameAround(text: string, start: number, end: number, after: string): string {
  const before = /[\w.-]*$/.exec(text.slice(Math.max(0, start - BACKWARDS), start))?.[0] ?? "";
  return before + text.slice(start, end) + after;
}

function isSecret(name: string, separator: string, value: string, quoted: boolean): boolean {
  if (/ is | was /.test(separator) && !/\d/.test(value)) return false;
  if (/=>/.test(separator) && !quoted) return false;
  if (HARMLESS_NAME.test(name) || isPlaceholder(value)) return false;
  if (/^\[(?:key|secret|token|credentials|path|webhook)/.test(value)) return false;
  if (/,/.test(separator)) return quoted && /["'`].*,/.test(separator) && isRandom(value);
  if (/\s/.test(value) && !(quoted && PASSWORD.test(name) && value.length < 40 && /\d/.test(value)))
    return false;
  if (PASSWORD.test(name)) return isPassword(value, quoted || /^=/.test(separator.trim()));
  if (!quoted && isIdentifier(value)) return false;
  if (/^key$/i.test(name) && (value.length < 16 || /^\d+$/.test(value))) return false;
  return isRandom(value);
}

/** With nothing but a space between name and value, only what cannot be a word, an id or a hash is a secret. */
function isCertain(value: string, password: boolean): boolean {
  const bare = value.replace(/[.,;:!?]+$/, "");
  if (!/^[\w+/=~-]+$/.test(bare) || !/\d/.test(bare) || !/[A-Za-z]/.test(bare) || isPlaceholder(bare))
    return false;
  if (password) return bare.length >= 8 && entropyOf(bare) > 2.6;
  return bare.length >= 20 && /[a-z]/.test(bare) && /[A-Z]/.test(bare) && entropyOf(bare) > 3.5;
}

/** A name out of a program: `Uint8Array`, `metadata?.signature`. */
function isIdentifier(value: string): boolean {
  return value.includes("?.") || /^[A-Za-z]?[a-z]+\d{0,2}(?:[A-Z][a-z]+\d{0,2})+[;.]?$/.test(value);
}

/** A password may be anything; a word of a sentence is none. */
function isPassword(value: string, assigned: boolean): boolean {
  const bare = value.replace(/[.,;:!?]+$/, "");
  if (bare.length < 4 || /^[a-z]+[A-Z][A-Za-z]*(?:\(|\.|$)/.test(bare)) return false;
  if (/\d/.test(bare) || /[^\w\s.-]/.test(bare)) return !/^[\d.:/-]+$/.test(bare) || assigned;
  return assigned && /^[A-Za-z_-]{5,}$/.test(bare) && !WORDS.test(bare);
}

const WORDS =
  /^(?:passw(?:or)?d|string|text|hidden|required|optional|secret|login|user(?:name)?|admin|null|none|true|false|undefined|hash(?:ed)?|bcrypt|argon2?|scrypt|plain(?:text)?|incorrect|invalid|wrong|missing|empty|field|input|value|current|new|old|type|auto(?:complete)?|current-password|new-password|ok|yes|no|disabled|enabled|unknown|forgot|reset|change|await|new|return|this|function|typeof)$/i;

/** Letters and digits without a pattern: what keys are made of, and words, versions, numbers and calls are not. */
function isRandom(value: string): boolean {
  const bare = value.replace(/[.,;:!?]+$/, "");
  if (bare.length < 8 || /[(){}]/.test(bare)) return false;
  if (/^[\d.,:TZ+-]+$/.test(bare)) return /^\d{15,}$/.test(bare);
  if (/^v?\d+\.\d+/.test(bare) && bare.length < 24) return false;
  if (/^(?:https?|ftp|file|s3|gs):\/\//.test(bare)) return false;
  if (/^[A-Za-z]+(?:[-_. /:][A-Za-z]+)*$/.test(bare)) return bare.length >= 16 && looksScrambled(bare);
  if (!/\d/.test(bare)) return bare.length >= 16 && entropyOf(bare) > 3.6;
  if (bare.length < 12) return /\d/.test(bare) && /[A-Za-z]/.test(bare) && entropyOf(bare) > 2.6;
  return entropyOf(bare) > 2.7;
}

/** Letters only: capital and small ones mixed as no name mixes them, or hardly a vowel. */
function looksScrambled(value: string): boolean {
  const vowels = value.match(/[aeiou]/gi)?.length ?? 0;
  if (vowels / value.length < 0.18) return true;
  if (!/[a-z]/.test(value) || !/[A-Z]/.test(value)) return false;
  const changes = value.match(/[A-Z][a-z]?(?=[A-Z])|[a-z][A-Z][a-z]?(?=[A-Z])/g)?.length ?? 0;
  return changes >= 3;
}
