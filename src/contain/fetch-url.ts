import { isIP } from "node:net";
import { Failure } from "../protocol/failure.ts";

const MAX_URL_LENGTH = 8_192;
const USUAL_PORTS: readonly number[] = [80, 443, 8080, 8443];

/** Names of this machine, this network or a cloud's metadata service. */
const PRIVATE_SUFFIXES = ["localhost", "localdomain", "local", "internal", "home.arpa", "lan", "intranet"];
const PRIVATE_NAMES = ["metadata.goog", "metadata.packet.net", "metadata.platformequinix.com"];

/** A URL that may be resolved. Its addresses still have to be checked. */
export interface Target {
  readonly url: URL;
  /** Without brackets and trailing dot: a name or an address. */
  readonly hostname: string;
  readonly port: number;
  /** The operator allowed this host and port, so its address may be private. */
  readonly allowed: boolean;
}

export interface UrlRules {
  /** `host:port` entries that may be private. */
  readonly allow?: readonly string[];
  /** Ports besides 80, 443, 8080 and 8443. */
  readonly ports?: readonly number[];
}

/** Parses and checks a URL with the same parser that the connection uses. Throws INVALID_INPUT. */
export function checkUrl(text: string, rules: UrlRules = {}, base?: URL): Target {
  const url = parseUrl(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refused("Only http and https addresses can be fetched.");
  }
  if (url.username !== "" || url.password !== "") {
    throw refused("Addresses with a user name or password in them are not fetched. Leave them out.");
  }
  const hostname = bareHostname(url.hostname);
  const port = portOf(url);
  const allowed = isAllowed(rules.allow ?? [], hostname, port);
  if (!allowed && !USUAL_PORTS.includes(port) && !rules.ports?.includes(port)) {
    throw refused(`Port ${port} is not fetched from; only ${USUAL_PORTS.join(", ")} are.`);
  }
  if (isIP(hostname) === 0) checkName(hostname, allowed);
  return { url, hostname, port, allowed };
}

/** Normalizes an entry of the allow list. Returns undefined if it is not a `host:port`. */
export function allowedHost(entry: string): string | undefined {
  const text = entry.trim();
  if (!/^[^/\\?#@*\s]+:\d{1,5}$/.test(text)) return undefined;
  const url = URL.parse(`http://${text}/`);
  return url ? hostAndPort(url) : undefined;
}

function isAllowed(allow: readonly string[], hostname: string, port: number): boolean {
  const wanted = `${hostname}:${port}`;
  return allow.some((entry) => allowedHost(entry) === wanted);
}

function parseUrl(text: string, base: URL | undefined): URL {
  const trimmed = text.trim();
  if (trimmed.length > MAX_URL_LENGTH) {
    throw refused(`The address is too long: at most ${MAX_URL_LENGTH} characters.`);
  }
  // The parser would silently drop some of them.
  if (/\p{Cc}/u.test(trimmed)) throw refused("The address holds control characters.");
  const url = URL.parse(trimmed, base?.href);
  if (!url) throw refused('That is not a whole web address. Give one such as "https://example.com/page".');
  return url;
}

function bareHostname(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** `host:port` of a URL, as entries of the allow list are written. */
export function hostAndPort(url: URL): string {
  return `${bareHostname(url.hostname)}:${portOf(url)}`;
}

function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function checkName(hostname: string, allowed: boolean): void {
  const labels = hostname.split(".");
  if (hostname.length > 253 || !labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label))) {
    throw refused("The host in the address is not a valid name.");
  }
  if (allowed) return;
  const isPrivate = PRIVATE_SUFFIXES.some((suffix) => hostname === suffix || hostname.endsWith(`.${suffix}`));
  if (isPrivate || PRIVATE_NAMES.includes(hostname)) throw notPublic();
  if (labels.length === 1) {
    throw refused("The host in the address is not a public name: public ones have a dot, as in example.com.");
  }
}

/** The failure for every host that is not public. The same sentence for all of them reveals nothing about the network. */
export function notPublic(): Failure {
  return refused(
    "That address is not on the public internet, so it is not fetched. The operator of this server can allow " +
      "it in TACKLE_FETCH_ALLOW.",
  );
}

function refused(sentence: string): Failure {
  return new Failure("INVALID_INPUT", sentence);
}
