import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";

/** The caller's address as limits count it. Forwarded addresses are believed only from a proxy of ours. */
export function clientAddress(incoming: IncomingMessage | undefined, trustProxy: boolean): string {
  const forwarded = trustProxy ? incoming?.headers["x-forwarded-for"] : undefined;
  // Each proxy appends what it saw: the last entry is the one that ours wrote.
  const nearest = String(forwarded ?? "")
    .split(",")
    .at(-1)
    ?.trim();
  return networkOf(nearest || incoming?.socket.remoteAddress || "unknown");
}

/** An IPv6 customer has a whole /64 to choose from, so that is what counts as one address. */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.toLowerCase().split("%")[0]?.split("::") ?? [];
  const left = head === "" ? [] : head.split(":");
  const right = tail ? tail.split(":") : [];
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0");
  return `${[...left, ...zeros, ...right].slice(0, 4).join(":")}::/64`;
}
