import { expect, it } from "vitest";
import { addressesIn } from "./provenance.ts";
import { cpuTime } from "./testing/cpu-time.ts";

it("an address inside of another is one too, up to the third", () => {
  const archived =
    "https://a.example/https://b.example/https://c.example/https://d.example/https://e.example/";
  const hosts = addressesIn(`See ${archived} and https://f.example/.`).map(
    (address) => new URL(address).host,
  );
  expect(new Set(hosts)).toEqual(new Set(["a", "b", "c", "d", "f"].map((name) => `${name}.example`)));
});

it("addresses that begin inside of each other hold nobody up", () => {
  expect(cpuTime(() => addressesIn("https://".repeat(12_500)))).toBeLessThan(500);
});
