import { isIP } from "node:net";

/** Ports that are open where an entry names none: for http and https. */
const USUAL_PORTS: readonly number[] = [80, 443];

/** One entry of the hosts that commands may reach. */
export interface HostRule {
  /** A name or an address, in lower case. */
  readonly host: string;
  /** `*.example.org`: every name below it, not the name itself. */
  readonly below: boolean;
  /** The one port. Without it, the usual ones. */
  readonly port?: number;
}

/** Parses an entry such as `registry.example`, `*.example.org` or `localhost:4873`. Returns undefined if it is not one. */
export function parseHostRule(entry: string): HostRule | undefined {
  const [, star, name = "", port] =
    /^(\*\.)?(\[[\da-f:.]+\]|[^:*/\\?#@\s]+)(?::(\d{1,5}))?$/i.exec(entry.trim()) ?? [];
  const host = canonicalHost(name);
  if (host === undefined || (star !== undefined && isIP(host) !== 0)) return undefined;
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return undefined;
  return { host, below: star !== undefined, ...(port === undefined ? {} : { port: Number(port) }) };
}

/** Returns a host as the URL parser reads it: `0x7f.1` is `127.0.0.1`. Undefined if it is none. */
export function canonicalHost(name: string): string | undefined {
  if (!/^(\[[\da-f:.]+\]|[^:/\\?#@\s[\]]+)$/i.test(name)) return undefined;
  const host = URL.parse(`http://${name}/`)
    ?.hostname.replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
  return host === undefined || host === "" ? undefined : host;
}

/** Whether a command may reach a host. `private`: even if its address is not public. */
export function allowedBy(
  rules: readonly HostRule[],
  host: string,
  port: number,
): { private: boolean } | undefined {
  const matching = rules.filter(
    (rule) =>
      (rule.below ? host.endsWith(`.${rule.host}`) : host === rule.host) &&
      (rule.port === undefined ? USUAL_PORTS.includes(port) : rule.port === port),
  );
  if (matching.length === 0) return undefined;
  return { private: matching.some((rule) => !rule.below && rule.port !== undefined) };
}
