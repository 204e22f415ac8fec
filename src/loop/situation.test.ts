import { expect, test } from "vitest";
import type { Message, Part } from "../protocol/messages.ts";
import { situationOf } from "./situation.ts";

const person = (...parts: Part[]): Message => ({ id: "m", role: "user", parts });
const file = { id: "file_1", name: "notes.txt", mimeType: "text/plain", size: 9 };

test("what the person says is the person's, and nothing has come from outside", () => {
  const situation = situationOf([person({ type: "text", text: "hello" })], [], []);
  expect(situation).toMatchObject({ outside: [], privateReads: [], personTexts: ["hello"] });
});

test("attached texts and images come from outside, and their words are not the person's", () => {
  const said: Part = { type: "text", text: "summarise" };
  const text: Part = { type: "text", text: "", file };
  expect(situationOf([person(said, text)], [], [])).toMatchObject({
    outside: ["an attached file"],
    personTexts: ["summarise"],
  });
  const image: Part = { type: "image", mimeType: "image/png", fileId: "file_2" };
  expect(situationOf([person(said, image)], [], []).outside).toEqual(["an attached file"]);
});

test("an image that the model made is nobody's words", () => {
  const made: Part = { type: "image", mimeType: "image/png", fileId: "file_2" };
  expect(situationOf([{ id: "a", role: "assistant", parts: [made] }], [], []).outside).toEqual([]);
});
