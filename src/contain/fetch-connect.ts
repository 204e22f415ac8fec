import { lookup } from "node:dns/promises";
import { isIP, isIPv6, type LookupFunction } from "node:net";
import buildConnector from "undici/lib/core/connect.js";
import Client from "undici/lib/dispatcher/client.js";
import { isPublicAddress, isSameAddress } from "./fetch-address.ts";
import { notPublic, type Target } from "./fetch-url.ts";

/** Returns all addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface ConnectLimits {
  connectMs: number;
  maxHeaderBytes: number;
}

/** A connection that can only go to checked addresses. */
export interface Connection {
  readonly client: Client;
  /** Closes the socket, even while it is connecting. */
  close(): Promise<void>;
}

/** Resolves a target and checks every address. One that is not public refuses all of them. */
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

/** Returns a client that connects on its first request and never resolves the name again. */
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
    // `containedFetch` has its own deadlines.
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

/** A DNS lookup that only returns the checked addresses. */
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
