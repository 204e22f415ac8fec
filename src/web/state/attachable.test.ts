import { expect, test } from "vitest";
import { ATTACHABLE_TYPES } from "../../protocol/file-type.ts";
import { reasonAgainst, reasonAgainstType } from "./attachable.ts";

const accepts = { characters: 100, files: 20, fileBytes: 1024 * 1024, fileTypes: [...ATTACHABLE_TYPES] };
const file = (content: string, type: string) => new File([content], "name", { type });

test.each([
  ["a video", file("x", "video/quicktime"), "noVideos"],
  ["a sound", file("x", "audio/mpeg"), "noAudio"],
  ["an image that models can't see", file("x", "image/tiff"), "noSuchImages"],
  ["a program", file("MZ\0\0", ""), "fileUnreadable"],
  ["an archive", file("PK\x03\x04\0\0", "application/zip"), "fileUnreadable"],
  ["nothing", file("", "text/plain"), "fileEmpty"],
  ["too much", file("x".repeat(1024 * 1024 + 1), "text/plain"), "fileTooLarge"],
])("refuses %s", async (_, chosen, key) => {
  expect((await reasonAgainst(chosen, accepts))?.key).toBe(key);
});

test.each([
  ["a photo", file("\x89PNG\0", "image/png")],
  ["a PDF", file("%PDF-\0", "application/pdf")],
  ["a text", file("hello", "text/markdown; charset=utf-8")],
  ["a text of a kind that the browser does not know", file("fn main() {}", "")],
  ["a text in UTF-16", new File([Uint8Array.of(0xff, 0xfe, 0x61, 0)], "name")],
  ["a text with its own name", file("SELECT 1", "application/sql")],
])("takes %s", async (_, chosen) => {
  expect(await reasonAgainst(chosen, accepts)).toBeUndefined();
});

test("what the server found counts in the end", () => {
  expect(reasonAgainstType("application/octet-stream", accepts)?.key).toBe("fileUnreadable");
  expect(reasonAgainstType("video/mp4", accepts)?.key).toBe("noVideos");
  expect(reasonAgainstType("text/plain", accepts)).toBeUndefined();
  expect(reasonAgainstType("application/xml", accepts)).toBeUndefined();
});
