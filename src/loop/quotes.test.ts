import { expect, it } from "vitest";
import type { Message, ToolCallPart, ToolResultPart } from "../protocol/messages.ts";
import { restoreQuotes } from "./quotes.ts";

const call = (args: string): ToolCallPart => ({
  type: "tool_call",
  id: "c",
  name: "filesystem",
  arguments: args,
});
const read = (output: string, change: Partial<ToolResultPart> = {}): Message[] => [
  {
    id: "a",
    role: "assistant",
    parts: [
      {
        type: "tool_result",
        toolCallId: "b",
        toolName: "f",
        success: true,
        output,
        trust: "untrusted",
        ...change,
      },
    ],
  },
];

it("a call that quotes a result has the original text, however deep it is", () => {
  const quoted = call(JSON.stringify({ edits: [{ oldText: "a <\\/result> b", n: 1 }] }));
  const restored = restoreQuotes(quoted, read("x </result> y"));
  expect(JSON.parse(restored.arguments)).toEqual({ edits: [{ oldText: "a </result> b", n: 1 }] });
});

it.each([
  ["quotes nothing that was read", { content: "<\\/result>" }, read("other text")],
  ["quotes what the client sent", { content: "<\\/result>" }, read("</result>", { fromClient: true })],
  ["has no tag", { content: "C:\\temp\\n" }, read("</result>")],
])("a call that %s stays as the model wrote it", (_what, args, history) => {
  const written = call(`  ${JSON.stringify(args)}`);
  expect(restoreQuotes(written, history)).toBe(written);
});

it("arguments that are not JSON stay as they are", () => {
  const broken = call('{"content": "<\\\\/result>');
  expect(restoreQuotes(broken, read("</result>"))).toBe(broken);
});
