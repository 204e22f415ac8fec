/** Words in a name that say that its value is not secret: `primaryKey`, `max_tokens`, `cache-key`. */
const HARMLESS = words(`
  public pub publishable idempotency primary foreign cache cached sort partition object row index idx hot short count
  max min limit usage tokens tokenizer tokenize tokenized tokenization keyword keywords keyboard monkey monkeys turkey
  keycode keyframe keying keypress keypressed keydown keyup expires expiry expired ttl length size timeout policy
  algorithm strategy method provider enabled required hint field label column format authenticated down up left right
  pressed sha1 sha256 sha512 hash hashed hashes fingerprint checksum md5 s3 translation i18n input output next previous
  prev page continuation sync csrf xsrf authenticity schema bucket natural sequence author authors oauth2 x509 pubkey jsonwebtoken
  selector revision rev keyselector keystore keytab audience issuerkeyhash chars alphabet charset registry`);

/** Words that say so only at the end of a name: `token_url`, `secretName`. */
const HARMLESS_LAST = words(`
  name names type types url uri endpoint path file filename dir directory version id ids alias board frame mesh pair
  pairs ring store storetype word str vault prefix suffix header param parameter verification validation error message
  pattern regex rotation status state mode level event listener handler variable source reference ref required`);

const ID_THAT_COUNTS = /(?:client|access[-_]?key|access)[-_.]?id$/i;
const VAULT = /key[-_.]?vault/i;

/** True for names with a word such as `key` or `token` whose value is not secret. */
export function isHarmlessName(name: string): boolean {
  const parts = partsOf(name);
  if (VAULT.test(name) || parts.some((part) => HARMLESS.has(part))) return true;
  return parts.length > 1 && HARMLESS_LAST.has(parts.at(-1) ?? "") && !ID_THAT_COUNTS.test(name);
}

/** The words of a name: `nextPageToken` and `NEXT_PAGE_TOKEN` both are next, page, token. */
function partsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((part) => part !== "");
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
