import { expect, test } from "vitest";
import { factsOf, type Message, textMessage } from "./messages.ts";

const asked = textMessage("m1", "user", "Hello");
const said = textMessage("m2", "assistant", "Hi");
const called: Message = {
  id: "m3",
  role: "assistant",
  parts: [{ type: "tool_call", id: "c", name: "get_time", arguments: "{}" }],
};
const shown: Message = {
  id: "m4",
  role: "user",
  parts: [{ type: "image", mimeType: "image/png", fileId: "f" }],
};
const heard: Message = {
  id: "m5",
  role: "assistant",
  parts: [{ type: "text", text: "Wait", messageId: "m6" }],
};
const thought: Message = {
  id: "m7",
  role: "assistant",
  parts: [{ type: "reasoning", text: "Hm.", metadata: { signature: "s" } }],
};
const nothing = { calls: false, files: false, sentIn: false, signed: false };

test("finds calls, files and what was sent into a run, also in a list that grows, shrinks or takes another turn", () => {
  expect(factsOf([])).toEqual(nothing);
  expect(factsOf([asked, said])).toEqual(nothing);
  expect(factsOf([asked, said, called])).toEqual({ ...nothing, calls: true });
  expect(factsOf([asked, said, called, shown, heard])).toEqual({
    ...nothing,
    calls: true,
    files: true,
    sentIn: true,
  });
  expect(factsOf([asked, said])).toEqual(nothing);
  expect(factsOf([asked, shown])).toEqual({ ...nothing, files: true });
  expect(factsOf([asked, heard])).toEqual({ ...nothing, sentIn: true });
  expect(factsOf([asked, heard, thought])).toEqual({ ...nothing, sentIn: true, signed: true });
});
