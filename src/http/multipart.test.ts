import { expect, test } from "vitest";
import { readForm, readMultipart } from "./multipart.ts";

const TYPE = "multipart/form-data; boundary=x";

function formWith(...dispositions: string[]) {
  const parts = dispositions.map((one) => `--x\r\nContent-Disposition: form-data; ${one}\r\n\r\nabc\r\n`);
  return (async function* () {
    yield Buffer.from(`${parts.join("")}--x--\r\n`);
  })();
}

test.each([
  ['name="file"; filename="a b.txt"', "a b.txt"],
  ["name=file; filename=plain.txt", "plain.txt"],
  ['name="file"; filename="caf_.txt"; filename*=UTF-8\'\'caf%C3%A9.txt', "café.txt"],
  ["name=file; filename*=utf-8'en'%e2%82%ac%20rates.txt", "€ rates.txt"],
  ["name=file; filename*=UTF-8''%zz.txt", "%zz.txt"],
  ['name="file"; filename="say \\"hi\\".txt"', 'say "hi".txt'],
  ['name="file"; filename=""', ""],
])("a part with %s is a file", async (disposition, name) => {
  const file = await readMultipart(formWith('name="note"', disposition), TYPE);
  expect(file?.name).toBe(name);
  const chunks: Uint8Array[] = [];
  for await (const chunk of file?.body ?? []) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe("abc");
});

test("fields have their names with or without quotation marks", async () => {
  const files: string[] = [];
  const form = formWith("name=purpose", 'name="note"', "filename=a.txt; name=file");
  const fields = await readForm(form, TYPE, async ({ name, body }, field) => {
    for await (const _ of body);
    files.push(`${field}: ${name}`);
  });
  expect(fields).toEqual({ purpose: "abc", note: "abc" });
  expect(files).toEqual(["file: a.txt"]);
});
