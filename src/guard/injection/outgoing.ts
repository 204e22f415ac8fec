export interface Outgoing {
  suspicious: boolean;
  urls: string[];
  /** The reason, for the person who is asked to approve. Empty if nothing is suspicious. */
  reason: string;
}

const MAX_URLS = 50;
const MAX_SCANNED = 200_000;
const URL_IN_TEXT = /\b(?:https?|wss?|ftp):\/\/[^\s"'<>`\\]{3,4000}/gi;
const DATA_URL = /\bdata:[a-z]{1,20}\/[a-z0-9.+-]{1,40}[;,]/i;

/** Services where anybody can leave or collect data anonymously. */
const DROP_HOSTS =
  /(?:^|\.)(?:webhook\.site|requestbin\.(?:com|net)|pipedream\.net|beeceptor\.com|hookbin\.com|requestcatcher\.com|postb\.in|ngrok\.io|ngrok\.app|ngrok-free\.(?:app|dev)|trycloudflare\.com|loca\.lt|serveo\.net|burpcollaborator\.net|oastify\.com|oast\.(?:fun|live|me|online|pro|site)|interact\.sh|interactsh\.com|dnslog\.cn|ceye\.io|canarytokens\.(?:com|org)|pastebin\.com|paste\.ee|hastebin\.com|dpaste\.(?:com|org)|ghostbin\.com|termbin\.com|0x0\.st|transfer\.sh|file\.io|ix\.io|rentry\.co|bin\.sh|webhook\.cool|typedwebhook\.tools|mockbin\.(?:org|io)|hooks\.zapier\.com)$/i;

/** Looks for URLs that could carry data out. The result is a label and never blocks a call. */
export function scanOutgoing(text: string): Outgoing {
  const scanned = text.slice(0, MAX_SCANNED);
  const reasons: string[] = [];
  const urls: string[] = [];
  if (DATA_URL.test(scanned)) reasons.push("it holds data inside an address (data:)");
  for (const [found] of scanned.matchAll(URL_IN_TEXT)) {
    if (urls.length >= MAX_URLS) break;
    const url = found.replace(/[).,;:!?\]]+$/, "");
    const reason = suspicionOf(url, isImage(scanned, found));
    if (!reason) continue;
    urls.push(url.slice(0, 500));
    if (!reasons.includes(reason)) reasons.push(reason);
  }
  return { suspicious: reasons.length > 0, urls, reason: reasons.join("; ") };
}

function suspicionOf(address: string, image: boolean): string | undefined {
  const url = URL.parse(address);
  if (!url) return undefined;
  if (url.username || url.password) return "an address carries a name or password";
  if (DROP_HOSTS.test(url.hostname))
    return `${url.hostname} is a place where data can be left for anybody to collect`;
  if (url.hostname.split(".").some((part) => part.length > 40 || (part.length > 20 && looksEncoded(part))))
    return "a host name carries what looks like data";
  const values = [...url.searchParams.values(), url.hash.slice(1)];
  if (values.some((value) => value.length > 300 || (value.length >= 24 && looksEncoded(value))))
    return "an address carries what looks like data";
  if (image && values.join("").length > 40) return "an image's address carries what looks like data";
  if (url.pathname.split("/").some((part) => part.length > 200 || (part.length >= 48 && looksEncoded(part))))
    return "an address carries what looks like data";
  return undefined;
}

function isImage(text: string, address: string): boolean {
  const before = text.slice(Math.max(0, text.indexOf(address) - 40), text.indexOf(address));
  return /!\[[^\]]*\]\(<?$|<img\b[^>]*src=["']?$/i.test(before);
}

/** True for base64, hexadecimal and the like: readable when decoded, or many changes between letters and digits. */
function looksEncoded(value: string): boolean {
  if (!/^[A-Za-z0-9+/_=-]+$/.test(value)) return false;
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value)) return false;
  if (/^[0-9a-f]{40,}$/i.test(value)) return readsAsText(Buffer.from(value, "hex"));
  if (readsAsText(Buffer.from(value, "base64"))) return true;
  const changes = value.match(/[a-z][A-Z0-9]|[0-9][A-Za-z]|[A-Z][0-9]/g)?.length ?? 0;
  return changes / value.length > 0.25;
}

function readsAsText(bytes: Uint8Array): boolean {
  if (bytes.length < 12) return false;
  const readable = bytes.filter((byte) => byte === 10 || (byte >= 32 && byte < 127)).length;
  return readable === bytes.length;
}
