import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { clientAddress } from "./caller.ts";

function from(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  return { headers, socket: { remoteAddress } } as unknown as IncomingMessage;
}

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
])("%s counts as %s", (address, counted) => {
  expect(clientAddress(from(address), false)).toBe(counted);
});

test("a forwarded address is trusted only from our own proxy, and only the entry that the proxy wrote", () => {
  const request = from("127.0.0.1", "6.6.6.6, 192.0.2.9");
  expect(clientAddress(request, false)).toBe("127.0.0.1");
  expect(clientAddress(request, true)).toBe("192.0.2.9");
});

test.each([
  ["192.0.2.9:50123", "192.0.2.9"],
  ["[2001:db8:1:2::9]:50123", "2001:db8:1:2::/64"],
  ["[2001:db8:1:2::9]", "2001:db8:1:2::/64"],
])("a proxy may add the port of the connection: %s counts as %s", (forwarded, counted) => {
  expect(clientAddress(from("127.0.0.1", `6.6.6.6:1, ${forwarded}`), true)).toBe(counted);
});
