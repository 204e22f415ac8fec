import { CountedSet } from "../../protocol/counted-set.ts";

/** Hosts that this process sends requests to, added by each app instance that uses them. */
const hosts = new CountedSet();
const URL_TEXT = /\bhttps?:\/\/[^\s"'`<>()[\]{}|\\]{3,2000}/gi;
/** Hosts and paths of interfaces for programs. A page with help for people stays. */
const INTERFACE =
  /^https?:\/\/(?:[^/]*@)?(?:api[.-]|[^/]*\.googleapis\.com|openrouter\.ai\/api)|\/(?:api|v\d{1,2}(?:beta)?)(?:\/|$)/i;

/** Removes these addresses from every error from now on. Returns a function that stops it. */
export function knowUpstreams(addresses: Iterable<string>): () => void {
  return hosts.add([...addresses].map(hostOf).filter((host) => host !== ""));
}

/** Removes addresses of upstreams from the text of an error. People cannot use them, and they tell how this server is set up. */
export function redactUpstreams(text: string): string {
  let clean = text.replace(URL_TEXT, (address) => {
    const end = /[.,;:!?]*$/.exec(address)?.[0] ?? "";
    return hosts.has(hostOf(address)) || INTERFACE.test(address) ? `[address]${end}` : address;
  });
  for (const host of hosts.values())
    if (/[.:]/.test(host) && clean.includes(host)) clean = clean.replaceAll(host, "[address]");
  return clean;
}

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? "";
}
