const PLACEHOLDER =
  /x{4,}|X{4,}|\*{3,}|\.{3,}|…|_{4,}|-{4,}|#{3,}|\?{3,}|0{12,}|EXAMPLE|(?:^|[-_ ./:<[{(])(?:your|my|the|an?|some|insert|enter|replace|put|add|paste|use|change|example|sample|dummy|fake|placeholder|redacted|removed|masked|hidden|todo|fixme|none|null|undefined|nil|true|false|required|optional|string|test|testing|demo|foo|bar|baz|here|goes|value|changeme|secret|password|token|key|api|default|empty|missing|invalid|unset|env|config|settings?|not|set)(?:[-_ ./:>\]})]|$)/i;

const REFERENCE =
  /^(?:\$\{|\$\(|\$(?!\w*[@!#^*])[A-Za-z_]|%[A-Za-z_]+%|\{\{|<|\[|@|&|process\.env|import\.meta|os\.(?:environ|getenv)|env[.([]|ENV\[|getenv|System\.(?:getenv|getProperty)|secrets?\.|vault:|ssm:|arn:|file:|vars?\.|local\.|self\.|this\.|config\.|options?\.|settings\.|args\.|params\.|req(?:uest)?\.|ctx\.|new |await |function|\(|Deno\.env|\{(?:\d{0,2}|[A-Za-z_.]{1,40})\}$)/;

/** True for a stand-in for a secret: `your-key-here`, `${TOKEN}`, `process.env.KEY`, `xxxx`. */
export function isPlaceholder(value: string): boolean {
  if (REFERENCE.test(value)) return true;
  if (/^(.)\1+$/i.test(value)) return true;
  return PLACEHOLDER.test(value) && !hasRandomPart(value);
}

/** True if a long part without a word break looks random, whatever words surround it. */
function hasRandomPart(value: string): boolean {
  if (/x{4,}|\*{3,}|\.{3,}|#{3,}|…|EXAMPLE|0{12,}/i.test(value)) return false;
  return value.split(/[-_ ./:]/).some((part) => part.length >= 12 && /\d/.test(part) && entropyOf(part) > 3);
}

const ALPHABET = /abcdefghijklmnop|ABCDEFGHIJKLMNOP/;
/** The same group three times at the beginning, as in `1234-1234-1234`. */
const REPEATED = /^(?:[A-Za-z]{1,8}[-_.])?([A-Za-z0-9]{3,12})(?:[-_.]\1){2}(?![A-Za-z0-9])/;

/** True for filler that is not random: digits in sequence, the alphabet, a repeated group or character. */
export function isFiller(value: string): boolean {
  if (ALPHABET.test(value) || REPEATED.test(value)) return true;
  if (value.length < 10) return false;
  const withoutSequences = value.replaceAll(/\d{6,}/g, (digits) => (isSequence(digits) ? "" : digits));
  return (withoutSequences !== value && withoutSequences.length < 8) || repetition(value) > 0.6;
}

/** True for digits in sequence: `1234567890`, `987654`. */
function isSequence(digits: string): boolean {
  const step = (Number(digits[1]) - Number(digits[0]) + 10) % 10;
  if (step !== 1 && step !== 9) return false;
  return [...digits].every((digit, at) => at === 0 || (Number(digits[at - 1]) + step) % 10 === Number(digit));
}

/** Returns the share of characters that repeat the one before them, ignoring case. */
function repetition(value: string): number {
  const lower = value.toLowerCase();
  let same = 0;
  for (let at = 1; at < lower.length; at++) if (lower[at] === lower[at - 1]) same++;
  return same / lower.length;
}

/** Returns the Shannon entropy in bits per character. */
export function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / value.length) * Math.log2(count / value.length);
  return entropy;
}
