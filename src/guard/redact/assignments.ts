import { type Mark, plainMark } from "./mark.ts";
import { isHarmlessName } from "./names.ts";
import { isPlaceholder } from "./placeholder.ts";
import { isCertain, isIdentifier, isPassword, isRandom } from "./random.ts";

/** Words in a name that say that its value is secret. */
const SECRET_WORD =
  /passw(?:or)?d|passphrase|passwort|kennwort|contraseña|mot de passe|pwd|passcode|secret|token|api[-_. ]?key|access[-_. ]?(?:key|id)|private[-_. ]?key|client[-_. ]?(?:id|key)|account[-_. ]?key|auth|cred(?:ential)?s?(?![a-z])|credential|(?<![a-z])key(?![a-z])|[a-z]Key(?![a-z])|signature|(?<![a-z])sig(?![a-z])|encryption|bearer|(?<![a-z])pass(?![a-z])|jwt|webhook|dsn|salt|(?<![a-z])(?:pin|pat)(?![a-z])|\botp\b/gi;

/** Vendors whose name alone often labels a secret: `"heroku": "…"`, `SONAR_LOGIN="…"`. */
const VENDOR =
  /adafruit|airtable|algolia|artifactory|asana|bintray|bitbucket|bittrex|cloudflare|codecov|coinbase|confluen(?:t|ce)|contentful|contribsys|datadog|discord|drone|dropbox|etsy|facebook|fastly|finicity|finnhub|flickr|freshbooks|gitter|heroku|hubspot|intercom|jfrog|jira|kraken|kucoin|launchdarkly|linkedin|mailchimp|mailgun|mapbox|mattermost|meraki|messagebird|netlify|new[-_]?relic|nytimes|okta|plaid|rapidapi|sendbird|sentry|snyk|sonar|squarespace|sumo|telegra[mf]|travis|twitch|twitter|zendesk/gi;

const PASSWORD = /passw|passphrase|pwd|passcode|kennwort|contraseña|mot de passe|(?<![a-z])pass(?![a-z])/i;
const CERTAIN_NAME =
  /(?:api|access|secret|auth|private|license|admin|deploy|service)[-_. ]?(?:key|token)|(?:bearer|refresh|session|personal access)[-_. ]token/i;

const BACKWARDS = 48;
const LONGEST = 200;
const SHORTEST = 6;
const LONGEST_READ = 400;
const VALUE =
  /(?:(\\?["'`])([^"'`\n\\]{3,400})|([^\s"'`,;<>(){}[\]\\&|=][^\s"'`,;<>(){}[\]\\&|=]{2,400}(?:\|[\w-]{20,60})?={0,3}))/
    .source;
const NAME_END = /([\w.\- ]{0,30}?)(?:\\?["'`\])]){0,3}/.source;
const ASSIGNED = new RegExp(
  NAME_END +
    /(?:[ \t]{1,3}value)?(?:: ?&?[A-Za-z][\w<>.]{0,20}(?= ?=))?[ \t]{0,12}(?:===?|=>|->|:{1,3}=|\?{1,2}=|[+.]=|=|::?|\|\||\?\?|,|>|%3D|\bis\b|\bwas\b)[ \t]{0,4}(?:[|>][-+]?(?=\r?\n))?(?:\r?\n[ \t]{0,12})?(?:(?:new |String |string |str |b|f|r|u)(?=["'`]))?/
      .source +
    VALUE,
  "y",
);
/** The name in one field, the value in the next: `name: TOKEN` and below it `value: …`, `<add key="…" value="…">`. */
const PAIRED = new RegExp(
  NAME_END +
    /[ \t]{0,3},?\s{0,20}(?:\/?>\s{0,12}<)?\\?["']?(?:value|default|content)\\?["']?[ \t]{0,3}[:=>]{1,2}[ \t]{0,3}/
      .source +
    VALUE,
  "iy",
);
const PAIR = /\b(?:value|default|content)\b/i;
/** Only a space between the name and the value: `invalid api key …`, `--password …`. */
const ADJACENT = new RegExp(/()[ \t]{1,2}/.source + VALUE, "y");
/** The value alone on the line below its name. */
const BELOW = new RegExp(/()[ \t]{0,3}\r?\n[ \t]{0,12}/.source + VALUE + /(?=[ \t]*(?:\r?\n|$))/.source, "y");
/** `{ key: "…", value: "…" }`, `<entry key="…" value="…">`. */
const LOOKED_UP =
  /^\\?["'`]?,?\s{1,3}\\?["']?(?:value|val|label|text|title|count|path|items|children)\\?["']?\s{0,2}[:=]/i;
const PUBLIC_ID = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\d{20,22})$/i;
const REST = /[\w+/=.~%-]{0,20000}/y;
/** Names of public-key signatures, which are not secret. Signatures of URLs and cookies are. */
const PUBLIC_SIGNATURE = /^(?!.*(?:cloudfront|amz|goog|shared|cookie|hmac)).*(?<![a-z])signature$/i;
const MIN_PUBLIC_SIGNATURE = 86;
/** The value before its name: `… is the admin password`. */
const VALUE_FIRST =
  /["'`]? is (?:the|my|our|your|his|her|a) (?:[\w-]{1,30} ){0,3}?(?:pass(?:word|phrase|code)|api[- ]?key|token|secret|credential|key|pin)\b/gi;

/** An address with only the public parameters of an OAuth authorization request, which a person has to open. */
const PUBLIC_PARAMETER =
  /(?:response_type|client_id|code_challenge|code_challenge_method|redirect_uri|state|scope|resource|audience|prompt)=[^&\s"'`<>]{0,2000}/
    .source;
const AUTHORIZATION_REQUEST = new RegExp(
  `https?://[^\\s"'\`<>?#@]{1,500}\\?${PUBLIC_PARAMETER}(?:&${PUBLIC_PARAMETER}){2,12}`,
  "gi",
);

/**
 * Removes values whose names call them secret: `api_key = "…"`, `password: …`, `<token>…</token>`. Names inside of an OAuth
 * authorization request do not count: hiding them would break the address.
 */
export function redactAssignments(text: string, mark: Mark = plainMark): string {
  // To look for it behind each address of a text full of them takes long.
  const requests = text.includes("code_challenge=") ? text.matchAll(AUTHORIZATION_REQUEST) : [];
  let clean = "";
  let done = 0;
  for (const { 0: address, index } of requests) {
    if (!/[?&]response_type=code&/.test(address) || !/[?&]code_challenge=[\w-]{43}(?:&|$)/.test(address))
      continue;
    clean += `${redactNamed(text.slice(done, index), mark)}${address}`;
    done = index + address.length;
  }
  return clean + redactNamed(text.slice(done), mark);
}

function redactNamed(text: string, mark: Mark): string {
  const secret = mark("secret");
  const paired = PAIR.test(text);
  const named = redactAfter(text, secret, SECRET_WORD, (at, end) => secretAfter(text, at, end, paired));
  const vendors = redactAfter(named, secret, VENDOR, (at, end) => vendorSecret(named, at, end));
  return redactValueFirst(vendors, secret);
}

interface Found {
  start: number;
  end: number;
}

function redactAfter(
  text: string,
  mark: string,
  names: RegExp,
  look: (at: number, end: number) => Found | undefined,
): string {
  let clean = "";
  let done = 0;
  for (const word of text.matchAll(names)) {
    if (word.index < done) continue;
    const found = look(word.index, word.index + word[0].length);
    if (!found) continue;
    clean += `${text.slice(done, found.start)}${mark}`;
    done = found.end;
  }
  return clean + text.slice(done);
}

function secretAfter(text: string, start: number, end: number, paired: boolean): Found | undefined {
  return (
    look(text, start, end, ASSIGNED, isAssignedSecret) ??
    look(text, start, end, ADJACENT, isAdjacentSecret) ??
    look(text, start, end, BELOW, isAdjacentSecret) ??
    (paired ? look(text, start, end, PAIRED, isPairedSecret) : undefined)
  );
}

function isAdjacentSecret({ name, phrase, value, quoted }: Assignment): boolean {
  if (/^--?[a-z]/i.test(name) && PASSWORD.test(name))
    return !/^-/.test(value) && isNamedSecret(name, value, quoted, true);
  return !isHarmlessName(name) && isCertain(value, PASSWORD.test(name), CERTAIN_NAME.test(phrase));
}

function isPairedSecret({ name, value, quoted }: Assignment): boolean {
  return isNamedSecret(name, value, quoted, true);
}

function vendorSecret(text: string, start: number, end: number): Found | undefined {
  // Inside another word it is not a vendor: `SetSysctl`.
  if (/[A-Za-z][a-z]/.test(text.slice(start - 1, start + 1))) return undefined;
  return look(text, start, end, ASSIGNED, ({ name, separator, value, quoted }) => {
    if (!quoted && !separator.includes("=") && !/contribsys/i.test(name)) return false;
    if (/sha|hash|sum(?!o)|digest|integrity|version|url/i.test(name) || isPlaceholder(value)) return false;
    if (/contribsys/i.test(name)) return /^[a-f0-9]{8}:[a-f0-9]{8}$/.test(value);
    return /^[\w=:-]{14,}$/.test(value) && /[A-Za-z]/.test(value) && /\d.*\d/.test(value) && isRandom(value);
  });
}

interface Assignment {
  name: string;
  /** The name with the two words before it: `personal access token`. */
  phrase: string;
  separator: string;
  value: string;
  quoted: boolean;
  /** The character after the value. */
  next: string;
  /** True if the value is a lookup key, with what it refers to next to it. */
  lookedUp: boolean;
}

function look(
  text: string,
  start: number,
  end: number,
  pattern: RegExp,
  isSecret: (assignment: Assignment) => boolean,
): Found | undefined {
  pattern.lastIndex = end;
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [whole, after = "", quote, inQuotes, bare] = match;
  const value = inQuotes ?? bare ?? "";
  const valueEnd = end + whole.length;
  const valueStart = valueEnd - value.length;
  const next = text.charAt(valueEnd);
  if (value.length < 4 || (quote === undefined && next === "(")) return undefined;
  // A short word can only be a password. Most candidates end here.
  if (value.length < 16 && !/\d/.test(value) && !PASSWORD.test(text.slice(start, end))) return undefined;
  const before = text.slice(Math.max(0, start - BACKWARDS), start);
  const name = `${/[\w.-]*$/.exec(before)?.[0]}${text.slice(start, end)}${after}`;
  const secret = isSecret({
    name,
    phrase: `${/(?:\w+ ){0,2}$/.exec(before)?.[0]}${name}`,
    separator: text.slice(end + after.length, valueStart),
    value: value.slice(0, 120),
    quoted: quote !== undefined,
    next,
    lookedUp: LOOKED_UP.test(text.slice(valueEnd, valueEnd + 40)),
  });
  return secret ? { start: valueStart, end: wholeEnd(text, valueStart, valueEnd) } : undefined;
}

/** Returns where a value ends that was longer than what the pattern reads. */
function wholeEnd(text: string, start: number, end: number): number {
  if (end - start < LONGEST_READ) return end;
  REST.lastIndex = end;
  return end + (REST.exec(text)?.[0].length ?? 0);
}

function isAssignedSecret({ name, separator, value, quoted, next, lookedUp }: Assignment): boolean {
  if (/^key$/i.test(name) && (lookedUp || isIdentifier(value))) return false;
  if (value.length <= 20 && next === "[" && /\.\.$/.test(value)) return false;
  if (/ is | was /.test(separator) && !/\d/.test(value)) return false;
  if (/=>/.test(separator) && !quoted) return false;
  if (/\n/.test(separator) && !quoted && (isNextName(value, next) || !/\d/.test(value))) return false;
  if (separator.includes(",") && quoted && !/["'`].*,/.test(separator)) return false;
  if (
    separator.includes(",") &&
    !quoted &&
    (separator !== "," || !/[,;\s]|^$/.test(next) || value.length < 12)
  )
    return false;
  return isNamedSecret(name, value, quoted, quoted || /^["'`\])]*[ \t]*[?.+]?=/.test(separator), separator);
}

/** True for what is not a value, but the next name: `user2:`, `user2=5`. A value may end in `=` and nothing behind it. */
function isNextName(value: string, next: string): boolean {
  return value.endsWith(":") || (value.endsWith("=") && /\S/.test(next));
}

function isNamedSecret(
  name: string,
  value: string,
  quoted: boolean,
  assigned: boolean,
  separator = "",
): boolean {
  if (isHarmlessName(name) || isPlaceholder(value)) return false;
  // The shell's name for the working directory.
  if (/^(?:OLD)?PWD$/.test(name.trim()) && /^(?:[/~.]|[A-Za-z]:[\\/])/.test(value)) return false;
  if (value.length >= MIN_PUBLIC_SIGNATURE && PUBLIC_SIGNATURE.test(name)) return false;
  const password = PASSWORD.test(name);
  if (/\s/.test(value) && !(quoted && password && value.length < 40 && /\d/.test(value))) return false;
  if (password && !separator.includes(",")) return isPassword(value, assigned);
  if (!quoted && isIdentifier(value)) return false;
  if (/^key$/i.test(name) && (value.length < 16 || /^\d+$/.test(value))) return false;
  // Client and access ids are public in their usual formats.
  if (/id$/i.test(name.trim()) && PUBLIC_ID.test(value)) return false;
  return isRandom(value);
}

function redactValueFirst(text: string, mark: string): string {
  let clean = "";
  let done = 0;
  for (const said of text.matchAll(VALUE_FIRST)) {
    const value = wordBefore(text, said.index, done);
    const bare = value.replace(/^[#/*;:(]+/, "");
    const secret = PASSWORD.test(said[0])
      ? /\d/.test(bare) && /[A-Za-z]/.test(bare) && isPassword(bare, false)
      : /\d/.test(bare) && bare.length >= 12 && isRandom(bare);
    if (!secret || isPlaceholder(bare)) continue;
    clean += `${text.slice(done, said.index - bare.length)}${mark}`;
    done = said.index;
  }
  return clean + text.slice(done);
}

/** Returns the word that ends here, up to the length of a secret. */
function wordBefore(text: string, end: number, least: number): string {
  let start = end;
  while (start > least && end - start < LONGEST && !/[\s"'`]/.test(text.charAt(start - 1))) start--;
  return end - start < SHORTEST ? "" : text.slice(start, end);
}
