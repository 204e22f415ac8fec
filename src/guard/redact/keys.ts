/** Keys that their vendor marks with a beginning of its own: the beginning, and what follows it. */
const MARKED: readonly (readonly [string, string])[] = [
  // Models
  ["sk-", "(?:(?:ant|proj|svcacct|admin|or|None|live|test|lf)-)?[A-Za-z0-9_-]{16,}"],
  ["AIza", "[A-Za-z0-9_-]{30,}"],
  ["AQ\\.", "[A-Za-z0-9_-]{40,}"],
  ["gsk_|xai-|pplx-|nvapi-|tvly-|fw_|r8_|csk-|together_|voyage-|jina_|fc-|exa-", "[A-Za-z0-9_-]{16,}"],
  ["hf_|api_org_", "[A-Za-z0-9]{20,}"],
  ["tk_|tk-us-", "[A-Za-z0-9_-]{16,}"],
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
  ["ops_eyJ|glc_eyJ|eyJrIjoi", "[A-Za-z0-9+/_=-]{20,}"],
  ["A3-[A-Z0-9]{6}-", "[A-Z0-9]{6,11}(?:-[A-Z0-9]{5,6}){2,5}"],
  // Code and packages
  ["gh[pousr]_|github_pat_", "[A-Za-z0-9_]{20,}"],
  ["gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|ffct|oas)-|GR1348941|_gitlab_session=", "[A-Za-z0-9_.-]{16,}"],
  ["npm_|rubygems_|pypi-AgE|CLOJARS_|oy2|atp_|bkua_|cio_|ATBB|ATATT|ATCTT|ATOA", "[A-Za-z0-9_=-]{24,}"],
  [
    "sq[upa]_|sgp_|slk_|sonar_|CODECOV_|rdme_|pnu_|pul-|tfp_|ico-|shippo_(?:live|test)_|duffel_(?:live|test)_|EZ[AT]K|p8e-|dnkey-|fio-u-|sm_(?:aat|pat|sat)_|lin_(?:api|oauth)_|figd_|figma_|aio_|b_[a-z0-9]{4}|ATxx",
    "[A-Za-z0-9=_.-]{20,}",
  ],
  ["[a-z0-9]{14}\\.atlasv1\\.", "[A-Za-z0-9=_-]{60,70}"],
  // Talk, mail, money
  ["xox[a-z](?:\\.xox[a-z])?-|xapp-\\d-|xwfp-", "[A-Za-z0-9-]{10,}"],
  [
    "(?:sk|rk|pk)_(?:live|test|prod)_|whsec_|live_|rzp_(?:live|test)_|sq0(?:atp|csp|idp)-|EAAAE",
    "[A-Za-z0-9_=+/-]{16,}",
  ],
  ["FLW(?:SECK|PUBK)(?:_TEST)?-", "[A-Za-z0-9]{12,}(?:-X)?"],
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
    "sntry[su]_|glsa_|glc_|AKCp|AP[a-zA-Z0-9]{3}cmVm|cmVmdGtuOj|sha256~|CFPAT-|PRT-|squ_|API-|phc_|phx_|sl\\.[A-Z]|access-(?:sandbox|development|production)-",
    "[A-Za-z0-9_=./+-]{24,}",
  ],
  ["pat[A-Za-z0-9]{14}\\.", "[a-f0-9]{64}"],
  ["(?:pat|sat)\\.[A-Za-z0-9_-]{22}\\.", "[A-Za-z0-9.]{24,}"],
  ["s-s4t2(?:ud|af)-", "[a-f0-9]{64}"],
  ["4b1d", "[A-Za-z0-9]{38}"],
];

/** Keys without a beginning of their own, but with a shape that nothing else has. */
const SHAPED = [
  "(?:SK|AC)[0-9a-f]{32}",
  "[0-9a-f]{32}-us[0-9]{1,2}",
  "[0-9a-f]{32}\\.[A-Za-z0-9]{16}",
  "[0-9]{8,10}:A[A-Za-z0-9_-]{34,36}",
  "[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}",
  "[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",
  "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk",
];

const LEFT = "(?<![A-Za-z0-9_])";
const RIGHT = "(?![A-Za-z0-9])";
const MARKED_KEY = new RegExp(
  `${LEFT}(?:${MARKED.map(([mark, rest]) => `(?:${mark})${rest}`).join("|")})`,
  "g",
);
const SHAPED_KEY = new RegExp(`${LEFT}(?:${SHAPED.join("|")})${RIGHT}`, "g");
const TOKEN =
  /(?<![A-Za-z0-9_])(?:ey[A-Za-z0-9_-]{8,3000}\.ey[A-Za-z0-9_-]{5,6000}\.?[A-Za-z0-9_-]{0,2000}|ZXlK[A-Za-z0-9+/_-]{40,8000}={0,2}|eyJ[A-Za-z0-9_-]{8,6000}(?:\.[A-Za-z0-9_-]{0,6000}){2,4})/g;
const PRIVATE_KEY =
  /-----BEGIN[ A-Z0-9_-]{0,40}(?:PRIVATE KEY|CERTIFICATE)[ A-Z0-9_-]{0,20}-----[^-]{0,20000}(?:-----END[ A-Z0-9_-]{0,60}-----)?|PuTTY-User-Key-File-\d:[\s\S]{0,5000}?Private-MAC: ?[0-9a-f]{40,64}/g;
const WEB_HOOK =
  /https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks|[a-z0-9-]{1,60}\.webhook\.office\.com\/webhook[a-z0-9]{0,4}|outlook\.office\.com\/webhook|hooks\.zapier\.com\/hooks|maker\.ifttt\.com\/trigger)\/[^\s"'<>]{10,400}/g;

/** Takes out what is a key by its own looks, wherever it stands. */
export function redactKeys(text: string): string {
  return text
    .replace(PRIVATE_KEY, "[private key]")
    .replace(WEB_HOOK, "[webhook]")
    .replace(TOKEN, "[token]")
    .replace(MARKED_KEY, keepPlaceholder)
    .replace(SHAPED_KEY, keepPlaceholder);
}

function keepPlaceholder(key: string): string {
  const body = key.slice(3);
  if (/[xX]{5,}|\*{3}|EXAMPLE$|^[-_.]*(?:your|example|placeholder|insert|replace)/i.test(body)) return key;
  // Words joined by hyphens, as in a style's or a package's name, are not a key.
  if (!/\d/.test(body) && /^[a-z]+(?:[-_][a-z]+)*$/.test(body)) return key;
  return "[key]";
}
