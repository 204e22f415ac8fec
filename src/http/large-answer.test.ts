import { Hono } from "hono";
import { expect, it } from "vitest";
import type { HttpEnv } from "./context.ts";
import { answerList, answerText } from "./large-answer.ts";

const app = new Hono<HttpEnv>();
const LONG = "a😀é\n".repeat(200_000);
const ENTRIES = Array.from({ length: 30 }, (_, at) => ({ at, text: LONG.slice(0, 100_001 + at) }));
app.get("/text", (c) => answerText(c, LONG, { "content-type": "text/plain; charset=utf-8" }));
app.get("/list", (c) => answerList(c, "entries", ENTRIES));
app.get("/short", (c) => answerList(c, "entries", [1, "two"]));

it("sends a long text in many pieces, and loses no character where it is cut", async () => {
  const response = await app.request("/text");
  const sizes: number[] = [];
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of response.body ?? []) {
    sizes.push(piece.length);
    text += decoder.decode(piece, { stream: true });
  }
  expect(text === LONG).toBe(true);
  expect(sizes.length).toBeGreaterThan(10);
  expect(Math.max(...sizes)).toBeLessThan(300_000);
});

it("encodes a list as one JSON document, long or short", async () => {
  const response = await app.request("/list");
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toEqual({ entries: ENTRIES });
  expect(await (await app.request("/short")).json()).toEqual({ entries: [1, "two"] });
});
