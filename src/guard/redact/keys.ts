import { type Mark, plainMark } from "./mark.ts";
import { entropyOf, isFiller } from "./placeholder.ts";
import { isMadeOfCapitalisedWords } from "./random.ts";

/** Keys that their vendor marks with a beginning of its own: the beginning, and what follows it. */
const MARKED: readonly (readonly [string, string])[] = [
  // Models
  ["sk-", "(?:(?:ant|proj|svcacct|admin|or|None|live|test|lf)-)?[A-Za-z0-9_-]{16,}"],
  ["AIza", "[A-Za-z0-9_-]{30,}"],
  ["AQ\\.", "[A-Za-z0-9_-]{40,}"],
  ["gsk_|xai-|pplx-|nvapi-|tvly-|fw_|r8_|csk-|together_|voyage-|jina_|fc-|exa-", "[A-Za-z0-9_-]{16,}"],
  ["hf_|api_org_", "[A-Za-z0-9]{20,}"],
  ["lsv2_(?:pt|sk)_", "[A-Za-z0-9]{32}_[A-Za-z0-9]{10}"],
  ["tk_|tk-us-|sm_(?:aat|pat|sat)_", "[A-Za-z0-9_-]{16,}"],
  // Clouds and hosting
  ["(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AGPA|ANPA|ANVA|AIPA)", "[A-Z0-9]{16}"],
  ["LTAI", "[A-Za-z0-9]{16,24}"],
  ["ya29\\.|GOCSPX-|1\\/\\/0", "[A-Za-z0-9_-]{20,}"],
  ["do[opr]_v1_|dop_v1_", "[a-f0-9]{40,}"],
  [
    "HRKU-|rnd_|sbp_|sb_secret_|sbs_|vercel_|nfp_|pscale_(?:pw|tkn|oauth)_|neon_|dckr_pat_|dckr_oat_|tfe_|v1\\.0-[a-f0-9]{24}-",
    "[A-Za-z0-9_.-]{20,}",
  ],
  ["Fly[Vv]1 (?:fm[12][ar]?_|fo1_)|fm[12][ar]?_|fo1_", "[A-Za-z0-9_+/=,-]{20,}"],
  ["AQVN|t1\\.|YC", "[A-Za-z0-9_-]{35,}(?:\\.[A-Za-z0-9_-]{20,})?"],
  // A whole one has hundreds of characters; less is one that somebody cut off to show how it begins.
  ["ops_eyJ", "[A-Za-z0-9+/_=-]{80,}"],
  ["glc_eyJ|eyJrIjoi", "[A-Za-z0-9+/_=-]{20,}"],
  ["A3-[A-Z0-9]{6}-", "[A-Z0-9]{6,11}(?:-[A-Z0-9]{5,6}){2,5}"],
  // Code and packages
  ["gh[pousr]_|github_pat_", "[A-Za-z0-9_]{20,}"],
  ["gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|ffct|oas)-|GR1348941|_gitlab_session=", "[A-Za-z0-9_.-]{16,}"],
  ["npm_|rubygems_|pypi-AgE|CLOJARS_|oy2|atp_|bkua_|cio_|ATBB|ATATT|ATCTT|ATOA", "[A-Za-z0-9_=-]{24,}"],
  [
    "sq[upa]_|sgp_|slk_|sonar_|CODECOV_|rdme_|pnu_|pul-|tfp_|ico-|shippo_(?:live|test)_|duffel_(?:live|test)_|EZ[AT]K|p8e-|dnkey-|fio-u-|lin_(?:api|oauth)_|figd_|figma_|aio_|b_[a-z0-9]{4}|ATxx",
    "[A-Za-z0-9=_.-]{20,}",
  ],
  ["[a-z0-9]{14}\\.atlasv1\\.", "[A-Za-z0-9=_-]{60,70}"],
  // Talk, mail, money
  ["xox[bpecdtgw](?:\\.xox[bp])?-|xapp-\\d-|xwfp-", "[A-Za-z0-9-]{20,}"],
  ["xox[ar]-", "(?:\\d-)?[A-Za-z0-9-]{8,}"],
  ["xox[os]-", "\\d+-\\d+-[A-Za-z0-9-]{8,}"],
  [
    "(?:sk|rk|pk)_(?:live|test|prod)_|whsec_|live_|rzp_(?:live|test)_|sq0(?:atp|csp|idp)-|EAAAE",
    "[A-Za-z0-9_=+/-]{16,}",
  ],
  ["FLW(?:SECK|PUBK)(?:_TEST)?-", "[A-Za-z0-9]{12,}(?:-X)?"],
  ["AQE[a-z0-9]{5,}\\.", "[A-Za-z0-9_=-]{50,80}"],
  ["(?:live|test)_", "[A-Za-z0-9]{30,40}"],
  ["SG\\.", "[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}"],
  ["(?:pub)?key-", "[0-9a-f]{32}"],
  ["xkeysib-|xsmtpsib-|NRAK-|NRJS-|NRII-|NRIQ-|NRRA-", "[A-Za-z0-9-]{19,}"],
  ["EAA[CMGE]", "[A-Za-z0-9]{60,}"],
  ["shp(?:at|ca|pa|ss)_", "[A-Fa-f0-9]{32}"],
  ["ntn_|secret_", "[A-Za-z0-9]{40,}"],
  ["PMAK-", "[A-Fa-f0-9]{24}-[A-Fa-f0-9]{34}"],
  ["dapi", "[a-f0-9]{32}(?:-\\d)?"],
  ["hv[sbr]\\.", "[A-Za-z0-9_-]{20,}"],
  ["dp\\.(?:pt|st|ct|sa|scim|audit)\\.", "[A-Za-z0-9._-]{20,}"],
  ["dt0[a-z]\\d\\d\\.", "[A-Z0-9]{24}\\.[A-Z0-9]{64}"],
  ["AGE-SECRET-KEY-1", "[A-Z0-9]{50,}"],
  [
    "sntry[su]_|glsa_|glc_|AKCp|AP[a-zA-Z0-9]{3}cmVm|cmVmdGtuOj|sha256~|CFPAT-|PRT-|squ_|phc_|phx_|sl\\.[A-Z]|access-(?:sandbox|development|production)-",
    "[A-Za-z0-9_=./+-]{24,}",
  ],
  ["API-", "[A-Z0-9]{25,29}(?![A-Za-z0-9])"],
  ["pat[A-Za-z0-9]{14}\\.", "[a-f0-9]{64}"],
  ["(?:pat|sat)\\.[A-Za-z0-9_-]{22}\\.", "[A-Za-z0-9.]{24,}"],
  ["s-s4t2(?:ud|af)-", "[a-f0-9]{64}"],
  ["django-insecure-", "[^\\s\"'`\\\\]{16,100}"],
  ["IR@[A-Za-z0-9-]{36}@[\\w.-]{1,60}@[\\w.=-]{0,60}@", "[A-Za-z0-9+/]{43}="],
  ["4b1d", "[A-Za-z0-9]{38}"],
];

/** Keys without a beginning of their own, but with a shape that nothing else has. */
const SHAPED = [
  "(?:SK|AC)[0-9a-f]{32}",
  "[0-9a-f]{32}-us[0-9]{1,2}",
  "[0-9a-f]{32}\\.[A-Za-z0-9]{16}",
  "(?:bot)?[0-9]{5,16}:A[A-Za-z0-9_-]{33,36}",
  "[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}",
  "[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![~_.-][A-Za-z0-9])",
  "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk",
  "[0-9]{15,16}(?:\\||%7C)[A-Za-z0-9_-]{27,40}",
  "[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}",
  "s\\.(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{24}",
  "[ps]k\\.[A-Za-z0-9_-]{50,}\\.[A-Za-z0-9_-]{20,}",
  "(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\\.[A-Za-z0-9]{4,6}\\.acc[_-][A-Za-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}",
  "A{22}[A-Za-z0-9%]{60,120}",
  "cmVmd[A-Za-z0-9]{59}",
];

/** Where a key may begin: not inside of a word, but behind `\n` in a string, `%22` in an address, a colour in a terminal. */
const LEFT = "(?:(?<![A-Za-z0-9_])|(?<=\\\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u001b\\[[0-9;]{0,10}m))";
const RIGHT = "(?![A-Za-z0-9])";
const MARKED_KEY = new RegExp(
  `${LEFT}(?:${MARKED.map(([mark, rest]) => `(?:${mark})${rest}`).join("|")})`,
  "g",
);
const SHAPED_KEY = new RegExp(`${LEFT}(?:${SHAPED.join("|")})${RIGHT}`, "g");
const TOKEN =
  /(?<![A-Za-z0-9_])(?:ey[A-Za-z0-9_-]{8,3000}\.ey[A-Za-z0-9_-]{5,6000}\.?[A-Za-z0-9_-]{0,2000}|ZXlK[A-Za-z0-9+/_-]{40,8000}={0,2}|eyJ[A-Za-z0-9_-]{8,6000}(?:\.[A-Za-z0-9_-]{0,6000}){2,4})/g;
const PEM_HEAD = "-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY[ A-Z0-9_-]{0,20}-----";
/** Whole, or cut off; between lines, or between the `\n` of a string. The words alone, as programs look for them, stay. */
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

/** Beginnings that nothing else has, also where they are glued to a word. */
const UNMISTAKABLE = /sk-(?:ant|proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,}|github_pat_[A-Za-z0-9_]{22,}/g;

/** Takes out what is a key by its own looks, wherever it stands. */
export function redactKeys(text: string, mark: Mark = plainMark): string {
  return text
    .replace(PRIVATE_KEY, (key) => (FILLED_KEY.test(key) ? key : mark("private key")))
    .replace(WEB_HOOK, (address) => `${/^[^/]*\//.exec(address)?.[0] ?? ""}${mark("webhook")}`)
    .replace(TOKEN, () => mark("token"))
    .replace(UNMISTAKABLE, (key) => (isExample(key) ? key : mark("key")))
    .replace(MARKED_KEY, (key, at: number, whole: string) =>
      isExample(key) || isPartOf(whole, at, key) ? key : mark("key"),
    )
    .replace(SHAPED_KEY, (key) => (isExample(key) ? key : mark("key")));
}

/** One character where the key would stand. */
const FILLED_KEY = /-----\s{0,3}([A-Za-z*.])\1{24,}/;
/** The ids of a team and its members, without the part that is secret. */
const NUMBERS_ALONE = /^xox[a-z]-[\d-]+$/;
/** So little of it that it only shows how such a key begins. */
const CUT_OFF = /^sk-ant-[a-z]{3,5}\d{2}-[\w-]{0,15}$/;
const HASHED_FILE =
  /^[A-Za-z]{2,8}[-_][\da-f]{16,64}\.(?:png|jpe?g|gif|svg|webp|ico|css|m?js|map|html?|woff2?|ttf|pdf|mp[34])\b/;

const OWN_VENDOR = /^(?:sk-|AQ\.|gsk_|xai-|tvly-|exa-|tk_)/;

/** What stands where a key would stand: crosses, one character over and over, or words. */
function isExample(key: string): boolean {
  const body = key.slice(3);
  if (/[xX]{5,}|\*{3}|EXAMPLE$|^[-_.]*(?:your|example|placeholder|insert|replace)/i.test(body)) return true;
  // A key of a vendor of ours is taken out also where it only looks made up; Google's are published, and made up, too often.
  const start = body.slice(0, 200);
  if (!OWN_VENDOR.test(key) && (entropyOf(start) < 2.5 || isFiller(start))) return true;
  if (NUMBERS_ALONE.test(key) || CUT_OFF.test(key)) return true;
  // Words joined by hyphens, as in a style's or a package's name, or by capitals, as in a program's.
  if (!/\d/.test(body) && /^[a-z]+(?:[-_][a-z]+)*$/.test(body)) return true;
  const rest = body.replace(/^[^_-]*[_-](?:\d-)?/, "");
  return !/\d/.test(rest) && isMadeOfCapitalisedWords(rest);
}

/** True for a key's letters by chance: in the middle of base64, or in front of the hash in a file's name. */
function isPartOf(text: string, at: number, key: string): boolean {
  if (/^[A-Za-z0-9]+$/.test(key) && /[A-Za-z0-9/]{16}\+$/.test(text.slice(Math.max(0, at - 17), at)))
    return true;
  return HASHED_FILE.test(key + text.slice(at + key.length, at + key.length + 8));
}
