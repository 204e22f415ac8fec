import { expect, test } from "vitest";
import { messageOf } from "./prompt.ts";

test.each([
  ["file:///tmp/a%20b.txt", "/tmp/a b.txt"],
  ["file:///tmp/100% sure.txt", "/tmp/100% sure.txt"],
  ["https://example.org/50%", "https://example.org/50%"],
])("a link to %s is read as %s", async (uri, path) => {
  const attach = () => Promise.reject(new Error("nothing is attached"));
  const link = { type: "resource_link" as const, uri, name: "it" };
  expect(await messageOf([{ type: "text", text: "read " }, link], attach)).toEqual({
    message: `read ${path}`,
  });
});
