import { expect, it } from "vitest";
import type { Files, StoredFile } from "../protocol/files.ts";
import { attachmentParts, isTextType } from "./attachments.ts";

function filesOfType(mimeType: string): Files {
  const own = async (userId: string, id: string): Promise<StoredFile> => ({
    id,
    userId,
    name: `${userId}'s file`,
    mimeType,
    size: 7,
    createdAt: "2026-01-01T00:00:00Z",
  });
  return { own } as Files;
}

it("a message without attachments has no parts for them", async () => {
  expect(await attachmentParts(filesOfType("text/plain"), "ada")).toEqual([]);
});

it.each(["image/png", "image/jpeg", "image/gif", "image/webp"])("attaches %s as an image", async (type) => {
  expect(await attachmentParts(filesOfType(type), "ada", [{ fileId: "one" }, { fileId: "two" }])).toEqual([
    { type: "image", mimeType: type, fileId: "one" },
    { type: "image", mimeType: type, fileId: "two" },
  ]);
});

it.each(["text/plain", "application/pdf", "image/svg+xml", "application/json"])(
  "attaches %s as a text that is read later",
  async (mimeType) => {
    expect(await attachmentParts(filesOfType(mimeType), "ada", [{ fileId: "one" }])).toEqual([
      { type: "text", text: "", file: { id: "one", name: "ada's file", mimeType, size: 7 } },
    ]);
  },
);

it.each(["image/tiff", "audio/mpeg", "video/mp4", "application/octet-stream"])(
  "refuses %s and lists what can be attached",
  async (type) => {
    expect(isTextType(type)).toBe(false);
    await expect(attachmentParts(filesOfType(type), "ada", [{ fileId: "one" }])).rejects.toMatchObject({
      code: "INVALID_INPUT",
      publicMessage:
        "“ada's file” cannot be attached: a model reads PNG, JPEG, GIF and WebP images, PDF, Word, Excel, PowerPoint, OpenDocument and text files.",
    });
  },
);

it("a type that mentions images only later in its name is still text", () => {
  expect(isTextType("application/x-image/list")).toBe(true);
});
