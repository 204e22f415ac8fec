import { expect, test } from "vitest";
import { readDataUrl } from "./data-url.ts";

test.each([
  ["data:image/png;base64,AAAA", { mimeType: "image/png", isBase64: true, data: "AAAA" }],
  ["DATA:text/plain;charset=utf-8,a,b", { mimeType: "text/plain", isBase64: false, data: "a,b" }],
  ["data:,x", { mimeType: "", isBase64: false, data: "x" }],
  ["data:image/svg+xml;charset=utf-8;BASE64,", { mimeType: "image/svg+xml", isBase64: true, data: "" }],
  ["data:image/png;base64", undefined],
  ["https://a.example/,", undefined],
])("%s is taken apart", (address, parts) => {
  expect(readDataUrl(address)).toEqual(parts);
});

test("an address without a comma is read once", () => {
  const before = process.threadCpuUsage();
  for (const piece of ["a", ";", ";base64", "data:"]) readDataUrl(`data:${piece.repeat(500_000)}`);
  const { user, system } = process.threadCpuUsage(before);
  // Beginning again at each character takes minutes.
  expect((user + system) / 1000).toBeLessThan(400);
});
