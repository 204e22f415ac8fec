import { lookup } from "node:dns/promises";
import { isIP, isIPv6, type LookupFunction } from "node:net";
import { buildConnector, Client } from "undici";
import { isPublicAddress, isSameAddress } from "./fetch-address.ts";
import { notPublic, type Target } from "./fetch-url.ts";

/** Answers every address of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface ConnectLimits {
  connectMs: number;
  maxHeaderBytes: number;
}

/** A connection that can only lead to the addresses that were checked. */
export interface Connection {
  readonly client: Client;
  /** Closes the socket, also one that is still being opened. */
  close(): Promise<void>;
}

/** The addresses of a target, every one of them checked: one that is not public refuses them all. */
export async function checkedAddresses(
  target: Target,
  resolve: Resolve = systemResolve,
): Promise<readonly string[]> {
  const addresses = isIP(target.hostname) ? [target.hostname] : await resolve(target.hostname);
  const valid = addresses.length > 0 && addresses.every((address) => isIP(address) !== 0);
  if (!valid) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
  if (!target.allowed && !addresses.every(isPublicAddress)) throw notPublic();
  return addresses;
}

/** Opens nothing yet: the client connects with its first request, and never resolves the name again. */
export function connectTo(target: Target, addresses: readonly string[], limits: ConnectLimits): Connection {
  const open = buildConnector({
    timeout: limits.connectMs,
    allowH2: false,
    maxCachedSessions: 0,
    autoSelectFamily: true,
    lookup: answerWith(addresses),
  });
  let socket: { destroy(): void } | undefined;
  const connect: buildConnector.connector = (options, callback) => {
    const opened: unknown = open(options, (...outcome) => {
      const [error, connected] = outcome;
      if (error) return callback(...outcome);
      const { remoteAddress } = connected;
      if (remoteAddress !== undefined && addresses.some((address) => isSameAddress(address, remoteAddress))) {
        return callback(...outcome);
      }
      connected.destroy();
      callback(notPublic(), null);
    });
    socket = opened as { destroy(): void };
  };
  const client = new Client(target.url.origin, {
    connect,
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: limits.maxHeaderBytes,
    // The exchange has deadlines of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    client,
    async close() {
      socket?.destroy();
      await client.destroy();
    },
  };
}

/** A lookup that knows the checked addresses and nothing else. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_hostname, options, callback) => {
    const [first] = entries;
    if (options.all) callback(null, entries);
    else callback(null, first?.address ?? "", first?.family);
  };
}

async function systemResolve(hostname: string): Promise<string[]> {
  const entries = await lookup(hostname, { all: true });
  return entries.map((entry) => entry.address);
}
