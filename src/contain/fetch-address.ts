import { BlockList, isIPv4, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";

/** IPv4 ranges that are not public, or where clouds serve metadata. */
const RESERVED_IPV4: readonly [network: string, prefix: number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Azure serves metadata at this public address.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  // Relays and sinks of the infrastructure: AS112, AMT, 6to4.
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/**
 * All public IPv6 addresses are in 2000::/3. Everything else is refused: loopback, IPv4-compatible, translated and NAT64
 * addresses, discard, segment routing, unique local, link-local, site-local, multicast.
 */
const PUBLIC_IPV6: readonly [network: string, prefix: number] = ["2000::", 3];

/** Ranges in 2000::/3 that are not public, or that contain an IPv4 address. */
const RESERVED_IPV6: readonly [network: string, prefix: number][] = [
  // Protocol assignments: Teredo, benchmarking, ORCHID.
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
];

const reserved = new BlockList();
for (const [network, prefix] of RESERVED_IPV4) reserved.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of RESERVED_IPV6) reserved.addSubnet(network, prefix, "ipv6");
const publicIpv6 = new BlockList();
publicIpv6.addSubnet(...PUBLIC_IPV6, "ipv6");

/** Whether an address is public: neither private, reserved, nor one of this machine. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !reserved.check(address, "ipv4") && !isOwnAddress(address);
  if (!isIPv6(address) || address.includes("%")) return false;
  const canonical = canonicalIpv6(address);
  const tunneled = tunneledIpv4(canonical);
  if (tunneled !== undefined && !isPublicAddress(tunneled)) return false;
  const inner = mappedIpv4(canonical);
  if (inner !== undefined) return isPublicAddress(inner);
  return (
    publicIpv6.check(canonical, "ipv6") && !reserved.check(canonical, "ipv6") && !isOwnAddress(canonical)
  );
}

/** Whether two spellings mean the same address: `::ffff:1.2.3.4` is `1.2.3.4`. */
export function isSameAddress(one: string, other: string): boolean {
  return plainAddress(one) === plainAddress(other);
}

function plainAddress(address: string): string {
  if (!isIPv6(address)) return address;
  const [bare = ""] = address.split("%");
  const canonical = canonicalIpv6(bare);
  return mappedIpv4(canonical) ?? canonical;
}

function canonicalIpv6(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

/** The IPv4 address in a canonical address of `::ffff:0:0/96`. */
function mappedIpv4(canonical: string): string | undefined {
  return lastIpv4(/^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical));
}

/** The IPv4 address in one of ISATAP, which ends in `[200:]5efe:` and it, below any network. */
function tunneledIpv4(canonical: string): string | undefined {
  return lastIpv4(/:(?:0:|200:)?5efe:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical));
}

function lastIpv4(found: RegExpExecArray | null): string | undefined {
  const groups = found?.slice(1);
  if (!groups) return undefined;
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
}

/** This machine's own public addresses would bypass its firewall. */
function isOwnAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => plainAddress(entry.address) === address),
  );
}
