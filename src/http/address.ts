import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";
import type { HttpContext } from "./context.ts";

/** The caller's address as the limits count it. */
export function addressOf(c: HttpContext): string {
  return clientAddress(c.env?.incoming, c.get("server").deps.config.trustProxy === true);
}

/** The same for a Node request. Forwarded addresses are used only behind a trusted proxy. */
export function clientAddress(incoming: IncomingMessage | undefined, trustProxy: boolean): string {
  const forwarded = trustProxy ? incoming?.headers["x-forwarded-for"] : undefined;
  // Each proxy appends the address it saw, so the last entry comes from ours.
  const nearest = String(forwarded ?? "")
    .split(",")
    .at(-1)
    ?.trim();
  return networkOf(nearest || incoming?.socket.remoteAddress || "unknown");
}

/** An IPv6 customer usually has a whole /64, so it counts as one address. */
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
