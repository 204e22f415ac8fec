import { expect, it } from "vitest";
import { createGuestTraffic } from "./guest-traffic.ts";

const MEGABYTE = 1_000_000;

it("limits what guests at one address send, and says when they can go on", () => {
  let now = 0;
  const traffic = createGuestTraffic({ windowMinutes: 10, guestMegabytes: 2 }, () => now);
  traffic.take("192.0.2.1", 2 * MEGABYTE);
  traffic.take("192.0.2.2", 2 * MEGABYTE);
  traffic.take("192.0.2.1", 0);
  now = 60_000;
  expect(() => traffic.take("192.0.2.1", 1)).toThrow(
    expect.objectContaining({ code: "RATE_LIMITED", retryAfter: 540 }),
  );
  now = 600_000;
  traffic.take("192.0.2.1", MEGABYTE);
});

it("remembers a bounded number of addresses, and those that send most recently", () => {
  const traffic = createGuestTraffic({ windowMinutes: 10, guestMegabytes: 1 });
  traffic.take("192.0.2.1", MEGABYTE);
  traffic.take("192.0.2.2", MEGABYTE);
  for (let at = 0; at < 9_998; at++) traffic.take(`stranger ${at}`, 1);
  expect(() => traffic.take("192.0.2.2", 1)).toThrow();
  traffic.take("one more", 1);
  traffic.take("192.0.2.1", 1);
  expect(() => traffic.take("192.0.2.2", 1)).toThrow();
});
