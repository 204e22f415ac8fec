import FORMATS from "./key-formats.json" with { type: "json" };
import { type Mark, plainMark } from "./mark.ts";
import { entropyOf, isFiller } from "./placeholder.ts";
import { isCamelCaseWords } from "./random.ts";

/** Where a key may begin: not inside a word, but after `\n` in a string, `%22` in a URL or a terminal color. */
const LEFT = "(?:(?<![A-Za-z0-9_])|(?<=\\\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u001b\\[[0-9;]{0,10}m))";
const RIGHT = "(?![A-Za-z0-9])";
/** Keys that begin with a prefix of their vendor. */
const PREFIXED_KEY = new RegExp(
  `${LEFT}(?:${FORMATS.prefixed.map(({ prefix, rest }) => `(?:${prefix})${rest}`).join("|")})`,
  "g",
);
/** Keys without a prefix, whose shape nothing else has. */
const SHAPED_KEY = new RegExp(`${LEFT}(?:${FORMATS.shaped.join("|")})${RIGHT}`, "g");
/** Not deep inside of a long run of letters and dashes, where it might begin at each dash. */
const TOKEN =
  /(?<![A-Za-z0-9_]|[A-Za-z0-9_-]{100})(?:ey[A-Za-z0-9_-]{8,3000}\.ey[A-Za-z0-9_-]{5,6000}\.?[A-Za-z0-9_-]{0,2000}|ZXlK[A-Za-z0-9+/_-]{40,8000}={0,2}|eyJ[A-Za-z0-9_-]{8,6000}(?:\.[A-Za-z0-9_-]{0,6000}){2,4})/g;
const PEM_HEAD = "-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY[ A-Z0-9_-]{0,20}-----";
/** A complete or truncated key, with line breaks or `\n`. The BEGIN line alone, as programs look for it, stays. */
const PRIVATE_KEY = new RegExp(
  [
    `${PEM_HEAD}(?:[^-]|-(?!----)){32,20000}?-----END[ A-Z0-9_-]{0,60}-----`,
    `${PEM_HEAD}(?:\\\\{1,2}[nr]|[\\s"'+])+(?:[A-Za-z-]{3,20}: [^\\n\\\\]{0,100}(?:\\\\{1,2}[nr]|\\s)+){0,4}[A-Za-z0-9+/=\\s\\\\]{32,100000}`,
    "\\bPrivate-Lines: ?\\d{1,4}[A-Za-z0-9+/=\\s\\\\]{1,16000}(?:Private-MAC: ?[0-9a-f]{1,64})?",
  ].join("|"),
  "g",
);
const WEB_HOOK =
  /(?:\bhooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)|\bdiscord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks|\.webhook\.office\.com\/webhook[a-z0-9]{0,4}|\boutlook\.office\.com\/webhook|\bhooks\.zapier\.com\/hooks|\bmaker\.ifttt\.com\/trigger)\/[^\s"'<>]{10,400}/g;

/** Prefixes that nothing else has. They count even in the middle of a word. */
const UNMISTAKABLE = /sk-(?:ant|proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,}|github_pat_[A-Za-z0-9_]{22,}/g;

/** Removes keys that are recognized by their format, in any context. */
export function redactKeys(text: string, mark: Mark = plainMark): string {
  return text
    .replace(PRIVATE_KEY, (key) => (FILLED_KEY.test(key) ? key : mark("private key")))
    .replace(WEB_HOOK, (address) => `${address.slice(0, address.indexOf("/") + 1)}${mark("webhook")}`)
    .replace(TOKEN, () => mark("token"))
    .replace(UNMISTAKABLE, (key) => (isExample(key) ? key : mark("key")))
    .replace(PREFIXED_KEY, (key, at: number, whole: string) =>
      isExample(key) || isPartOf(whole, at, key) ? key : mark("key"),
    )
    .replace(SHAPED_KEY, (key) => (isExample(key) ? key : mark("key")));
}

/** A key of one repeated character. */
const FILLED_KEY = /-----\s{0,3}([A-Za-z*.])\1{24,}/;
/** Ids of a team and its members, without the secret part. */
const NUMBERS_ALONE = /^xox[a-z]-[\d-]+$/;
/** Too short for a key: it only shows how one begins. */
const CUT_OFF = /^sk-ant-[a-z]{3,5}\d{2}-[\w-]{0,15}$/;
const HASHED_FILE =
  /^[A-Za-z]{2,8}[-_][\da-f]{16,64}\.(?:png|jpe?g|gif|svg|webp|ico|css|m?js|map|html?|woff2?|ttf|pdf|mp[34])\b/;

/** Made of letters, but nothing else has this shape. */
const SAYS_KEY =
  /^sk-(?:(?:test|live|prod|proj|svcacct|admin)-(?!your|my-|the-|example|placeholder|insert|replace|key|[\w-]*x{4})[\w-]{8,}|[a-z]{16,})$/;
const OWN_VENDOR = /^(?:sk-|AQ\.|gsk_|xai-|tvly-|exa-|tk_)/;

/** True for an example of a key: `xxxxx`, one repeated character, or words. */
function isExample(key: string): boolean {
  const body = key.slice(3);
  if (/[xX]{5,}|\*{3}|EXAMPLE$|^[-_.]*(?:your|example|placeholder|insert|replace)/i.test(body)) return true;
  if (SAYS_KEY.test(key) && entropyOf(body) > 2.5) return false;
  // Keys of our own providers are removed even if they look invented. Google's are published and invented too often.
  const start = body.slice(0, 200);
  if (!OWN_VENDOR.test(key) && (entropyOf(start) < 2.5 || isFiller(start))) return true;
  if (NUMBERS_ALONE.test(key) || CUT_OFF.test(key)) return true;
  // Words joined by hyphens, as in package names, or by capitals, as in identifiers.
  if (!/\d/.test(body) && /^[a-z]+(?:[-_][a-z]+)*$/.test(body)) return true;
  const rest = body.replace(/^[^_-]*[_-](?:\d-)?/, "");
  return !/\d/.test(rest) && isCamelCaseWords(rest);
}

/** True if the match is a coincidence: in the middle of base64, or in a file name with a hash. */
function isPartOf(text: string, at: number, key: string): boolean {
  if (/^[A-Za-z0-9]+$/.test(key) && /[A-Za-z0-9/]{16}\+$/.test(text.slice(Math.max(0, at - 17), at)))
    return true;
  return HASHED_FILE.test(key + text.slice(at + key.length, at + key.length + 8));
}
