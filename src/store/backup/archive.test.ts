import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { readHeader } from "./archive.ts";

const folder = mkdtempSync(join(tmpdir(), "tackle-archive-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ["text", "a line of text\n", "text is not an archive of tackle backup."],
  ["other.gz", gzipSync('{"other":1}\n'), "other.gz is not an archive of tackle backup."],
  ["cut", gzipSync('{"tackle":"archive","format":1}\n').subarray(0, 20), "cut is damaged or incomplete"],
  ["empty", "", "empty is damaged or incomplete"],
])("a file that is no whole archive is refused with what it is: %s", async (name, bytes, sentence) => {
  const file = join(folder, name);
  writeFileSync(file, bytes);
  await expect(readHeader(file)).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringContaining(sentence),
  });
});

test("a folder, and a file that is missing, are refused as such", async () => {
  await expect(readHeader(folder)).rejects.toThrow(`${folder} is a folder.`);
  await expect(readHeader(join(folder, "none"))).rejects.toThrow("There is no file ");
});
