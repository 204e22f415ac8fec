import { expect, it } from "vitest";
import type { JsonObject } from "../protocol/json.ts";
import { withBytes, withoutBytes } from "./native-requests.ts";

const base64 = (size: number, fill: number) => Buffer.alloc(size, fill).toString("base64");
const [picture, page, small] = [base64(3_072, 1), base64(6_000, 2), base64(3_069, 3)];

function body(): JsonObject {
  return {
    model: "m",
    messages: [
      { role: "user", content: "data:image/png;base64, is how it begins" },
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: picture } },
          { type: "image_url", image_url: { url: `data:image/png;base64,${page}` } },
          { type: "image", source: { type: "base64", data: small } },
          { type: "image", source: { type: "url", data: picture } },
          { type: "image", source: { type: "base64", data: 7 } },
        ],
      },
    ],
  };
}

/** Keeps bytes under the ids 0, 1, … */
function shelf() {
  const kept: Uint8Array[] = [];
  return { kept, keep: async (bytes: Uint8Array) => String(kept.push(bytes) - 1) };
}

it("long bytes are kept apart, and put back exactly", async () => {
  const { kept, keep } = shelf();
  const given = body();
  const stored = await withoutBytes({ dialect: "x", body: given }, keep);
  expect(given).toEqual(body());
  expect(kept.map((bytes) => bytes.length)).toEqual([3_072, 6_000]);
  expect(stored).toMatchObject({
    dialect: "x",
    aside: {
      "/messages/1/content/0/source": "0",
      "/messages/1/content/1/image_url/url": "1",
    },
  });
  const text = JSON.stringify(stored);
  expect(text).toContain('"url":"data:image/png;base64,"');
  expect(text).toContain(small);
  expect(text.match(new RegExp(picture, "g"))).toHaveLength(1);
  expect(await withBytes(stored, async (id) => kept[Number(id)])).toEqual({ dialect: "x", body: body() });
});

it("a request whose bytes are gone cannot be put together again", async () => {
  const { keep } = shelf();
  const stored = await withoutBytes({ body: body() }, keep);
  expect(await withBytes(stored, async () => undefined)).toBeUndefined();
});

it("a request without long bytes stays the same object", async () => {
  const { kept, keep } = shelf();
  const told = { body: { content: [{ type: "base64", data: small }, null, 7, "text"] } };
  expect(await withoutBytes(told, keep)).toBe(told);
  expect(kept).toEqual([]);
  expect(await withBytes(told, async () => undefined)).toEqual(told);
});

it("bytes in an unusual spelling stay where they are", async () => {
  const { kept, keep } = shelf();
  const told = { body: { type: "base64", data: `${picture}\n` } };
  expect(await withoutBytes(told, keep)).toBe(told);
  expect(kept).toEqual([]);
});
