import { type Mark, plainMark } from "./mark.ts";
import { isPlaceholder } from "./placeholder.ts";

const AUTHORIZATION =
  /\b((?:proxy-)?authorization|api-key|x-auth-token|private-token|x-amz-security-token|cookie)(\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?|\\?["'],\s{0,3}\\?["'])((?:Bearer|Basic|Token|Digest|Bot|ApiKey|AWS4-HMAC-SHA256|Negotiate|SSWS|GenieKey|Key)\s+)?([^\s"'\\][^\n"'\\]{3,2000})/gi;
const DIGEST =
  /\b((?:proxy-)?authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:Digest|AWS4-HMAC-SHA256|Hawk|OAuth)\s)[^\n]{8,2000}/gi;
const ORACLE = /\b(jdbc:oracle:\w{1,10}:)[^\s/@"']{1,100}\/[^\s@"']{1,200}@/gi;
const SCHEME =
  /\b(Bearer|Basic|Token|ApiKey|SSWS|GenieKey)(\s{1,2}(?:token=)?\\?["']?)([A-Za-z0-9._~+/=:-]{8,2000})/gi;
const USER_INFO = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)([^\s/@:"'<>]{0,100}):([^\s"'<>@]{1,300})@(?=[\w[$])/gi;
/** Stand-ins for a password in documentation. */
const EXAMPLE = /^(?:pass(?:word|wd)?|pwd|secret|…|\.{3}|\*+|<.*>|\[.*\])$/i;
const USER_TOKEN = /\b(https?:\/\/)([A-Za-z0-9_~.-]{16,300})@(?=\w)/gi;
const QUERY =
  /([?&;#](?:[\w.\-[\]%]{0,30}(?:key|token|secret|signature|password|passwd|pwd|auth|credential|assertion|ticket|jwt|session)[\w.\-[\]%]{0,30}|sig|se_sig|code|x-amz-[a-z-]{1,30}|x-goog-[a-z-]{1,30}|sas|pass|otp|nonce|hmac)=)([^&\s"'`<>#;)\]}]{1,3000})/gi;
const HARMLESS_QUERY =
  /(?:keyword|tokens|token_type|author\b|authors|x-(?:amz|goog)-(?:algorithm|date|expires|signedheaders)|state|session_type|keyspace|max|count)=$/i;

/** Removes credentials from headers, URLs and connection strings. */
export function redactAddresses(text: string, mark: Mark = plainMark): string {
  const credentials = mark("credentials");
  return text
    .replace(USER_INFO, (whole, scheme: string, user: string, password: string) =>
      isReference(password) || isReference(user) || EXAMPLE.test(password)
        ? whole
        : `${scheme}${credentials}@`,
    )
    .replace(USER_TOKEN, `$1${credentials}@`)
    .replace(ORACLE, `$1${credentials}@`)
    .replace(DIGEST, `$1${credentials}`)
    .replace(
      AUTHORIZATION,
      (whole, name: string, separator: string, scheme: string | undefined, value: string) =>
        redactHeader(credentials, whole, name, separator, scheme, value),
    )
    .replace(SCHEME, (whole, scheme: string, gap: string, value: string) =>
      isCredential(value) || (/^bearer$/i.test(scheme) && isWordlikeToken(value))
        ? `${scheme}${gap}${credentials}`
        : whole,
    )
    .replace(QUERY, (whole, name: string, value: string) =>
      HARMLESS_QUERY.test(name) || isHarmlessValue(name, value) ? whole : `${name}${mark("secret")}`,
    );
}

function redactHeader(
  credentials: string,
  whole: string,
  name: string,
  separator: string,
  scheme: string | undefined,
  value: string,
): string {
  if (isReference(value) || isPlaceholder(value.trim())) return whole;
  const bare = value.trim();
  if (!scheme && /^[a-z]+(?: [a-z]+)*[.!]?$/i.test(bare)) return whole;
  if (!scheme && /cookie/i.test(name) && !/^[\w.!#$%&*+-]+=[^\s=]/.test(bare)) return whole;
  if (!scheme && /^[^\s"']*\(/.test(bare)) return whole;
  if (!scheme && /\s/.test(bare) && !/cookie/i.test(name)) {
    const [first = "", ...rest] = bare.split(" ");
    return isCredential(first) ? `${name}${separator}${credentials} ${rest.join(" ")}` : whole;
  }
  if (scheme) {
    const rest = /^\S+(.*)$/.exec(bare)?.[1] ?? "";
    const keepsRest = !/^(?:digest|aws4)/i.test(scheme) && !rest.includes(",") ? rest : "";
    return `${name}${separator}${scheme}${credentials}${keepsRest}`;
  }
  return `${name}${separator}${credentials}`;
}

/** True for what can follow `Bearer` and is not a word of a sentence. */
function isCredential(value: string): boolean {
  if (isReference(value) || isPlaceholder(value) || /^HTTP\/\d/i.test(value)) return false;
  return /\d/.test(value) || (value.length >= 16 && /[a-z][A-Z]|[A-Z][a-z].*[A-Z]|=$/.test(value));
}

/** Ends of long words that follow `Bearer` in a sentence: authentication, middleware, credentials. */
const WORD_END =
  /(?:tions?|ments?|ing|wares?|ures?|ials?|ates?|i[sz]ed|i[sz]ers?|ators?|ness|ity|ities|[ai]ble|holders?|meters?|gies|ments?|ary|ance|ers|ors|only|lessly?)$/i;

/** True for a token of letters alone, such as a made-up one in a test. */
function isWordlikeToken(value: string): boolean {
  return /^[A-Za-z]{10,}$/.test(value) && !WORD_END.test(value);
}

function isHarmlessValue(name: string, value: string): boolean {
  if (isReference(value) || isPlaceholder(value)) return true;
  const known = /(?:key|code|nonce|auth|session)(?:\[\w*\])?=$/i.test(name);
  return known && /^(?:\d{1,5}|[a-z]{1,12})$/i.test(value);
}

function isReference(value: string): boolean {
  return /^(?:\$|%[A-Z]|\{|<|\[|process\.|\*{2,}|x{3,}|\.{3}|:$)/i.test(value);
}
