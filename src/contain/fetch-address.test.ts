import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { isPublicAddress, isSameAddress } from "./fetch-address.ts";

const forbidden = [
  ["this network", "0.0.0.0", "0.1.2.3"],
  ["loopback", "127.0.0.1", "127.255.255.254"],
  ["private", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255"],
  ["shared by carriers", "100.64.0.1", "100.100.100.200", "100.127.255.255"],
  ["link-local", "169.254.0.1", "169.254.169.254"],
  ["protocol assignments", "192.0.0.1", "192.0.0.192"],
  ["relays and sinks", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.175.48.1", "2620:4f:8000::1"],
  ["documentation", "192.0.2.1", "198.51.100.7", "203.0.113.255"],
  ["benchmarking", "198.18.0.1", "198.19.255.255"],
  ["multicast, reserved and broadcast", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"],
  ["a cloud's metadata", "168.63.129.16"],
  ["IPv6 unspecified and loopback", "::", "::1", "0:0:0:0:0:0:0:1"],
  ["IPv4-compatible IPv6", "::127.0.0.1", "::169.254.169.254", "::8.8.8.8"],
  ["IPv4-mapped IPv6", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "0:0:0:0:0:FFFF:10.0.0.1"],
  ["IPv4-translated IPv6", "::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"],
  ["NAT64", "64:ff9b::169.254.169.254", "64:ff9b::8.8.8.8", "64:ff9b:1::1"],
  ["ISATAP", "2600::5efe:a9fe:a9fe", "2600:1:2:3:200:5efe:127.0.0.1", "2001:db8::5efe:8.8.8.8"],
  ["6to4 and Teredo", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2001::1", "2001:0:a9fe:a9fe::"],
  ["discard", "100::1"],
  ["IPv6 private", "fc00::1", "fd00:ec2::254", "fdff::1"],
  ["IPv6 link-local and site-local", "fe80::1", "febf::1", "fec0::1"],
  ["IPv6 multicast", "ff02::1", "ff0e::1"],
  ["IPv6 documentation and benchmarking", "2001:db8::1", "3fff::1", "3fff:fff::1", "2001:2::1"],
  ["segment routing", "5f00::1"],
  ["with a zone", "fe80::1%eth0", "2606:4700::1111%eth0"],
  ["no address at all", "", "example.com", "1.2.3", "1.2.3.4.5", "::g"],
];

test.each(forbidden)("%s is not public", (_, ...addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([]);
});

test("addresses next to the reserved ranges are public", () => {
  const beside = [
    ..."1.0.0.0 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0".split(
      " ",
    ),
    ..."169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255".split(" "),
    ..."192.169.0.0 198.17.255.255 198.20.0.0 203.0.112.255 203.0.114.0 223.255.255.255".split(" "),
    ..."2001:200::1 2001:4860:4860::8888 2606:4700::1111 2a00:1450::1 2003::1 ::ffff:8.8.8.8".split(" "),
  ];
  expect(beside.filter((address) => !isPublicAddress(address))).toEqual([]);
});

test("no address of this machine is public", () => {
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  expect(own.length).toBeGreaterThan(0);
  expect(own.filter((entry) => isPublicAddress(entry.address))).toEqual([]);
});

test("different spellings of an address are equal", () => {
  expect(isSameAddress("::ffff:1.2.3.4", "1.2.3.4")).toBe(true);
  expect(isSameAddress("2606:4700:0:0::1111", "2606:4700::1111")).toBe(true);
  expect(isSameAddress("1.2.3.4", "1.2.3.5")).toBe(false);
});
