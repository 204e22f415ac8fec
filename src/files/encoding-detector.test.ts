import { expect, it } from "vitest";
import { EncodingDetector } from "./encoding-detector.ts";

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");
const western = (text: string) => Buffer.from(text, "latin1");

it.each([
  ["utf-8", "Größe", Buffer.from("Größe;東京")],
  ["utf-8", "one byte", Buffer.from("a")],
  ["utf-16le", "what Excel calls Unicode text", utf16("Größe\t東京 👩‍💻")],
  ["utf-16be", "the other order", utf16("Größe").swap16()],
  ["windows-1252", "a table of Excel", western("Möbel;Preis\r\nStühle;1340\r\n")],
  ["windows-1252", "a euro sign", Buffer.concat([western("caf\xe9, "), Buffer.from([0x80]), western("12")])],
  ["windows-1252", "text that begins in ASCII", western(`${"plain ".repeat(30_000)}\xe9`)],
  [undefined, "zeros", Buffer.from("a\0b")],
  [undefined, "a zero in UTF-16", utf16("a\0b")],
  [undefined, "half a pair in UTF-16", utf16("a\ud800b")],
  [undefined, "control characters", western("caf\xe9 \x02")],
  [undefined, "Shift JIS", Buffer.from([0x8a, 0xf7, 0x82, 0xcc, 0x94, 0xf1, 0x93, 0xf4, 0x8c, 0xfb])],
  [undefined, "Cyrillic in windows-1251", western("\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0")],
  [undefined, "UTF-8 that was cut", Buffer.from("Größe der Möbel in 東京").subarray(0, -1)],
] as const)("is %s: %s", (expected, _, bytes) => {
  for (const size of [1, 3, 65_536]) {
    const detector = new EncodingDetector();
    for (let at = 0; at < bytes.length; at += size) detector.take(bytes.subarray(at, at + size));
    expect(detector.outcome(), `${size} bytes at a time`).toBe(expected);
  }
});
