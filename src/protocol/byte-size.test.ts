import { expect, it } from "vitest";
import { byteSize } from "./byte-size.ts";

it.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [1_023, "1023 bytes"],
  [1_024, "1 kB"],
  [1_536, "1.5 kB"],
  [512 * 1_024, "512 kB"],
  [4 * 1_024 ** 2, "4 MB"],
  [10 * 1_024 ** 3, "10 GB"],
  [5_000 * 1_024 ** 4, "5000 TB"],
])("%i bytes are %s", (bytes, text) => expect(byteSize(bytes)).toBe(text));
