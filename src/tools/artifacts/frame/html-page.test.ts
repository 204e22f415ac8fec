import { expect, test } from "vitest";
import { prepareHtml } from "./html-page.ts";
import { withoutForbiddenInScripts } from "./prelude.ts";

const LOADS = ["https://cdn.example"];

test("the scripts of an app keep their comparisons, and its own styles are loaded", async () => {
  const page =
    '<link rel="stylesheet" href="https://cdn.example/a.css"><SCRIPT>if (a<link) b()</SCRIPT><script async>c<base</script>';
  const { body } = await prepareHtml(page, "", { loads: LOADS });
  expect(body).toContain('@import url("https://cdn.example/a.css")');
  expect(body).toContain("<SCRIPT>if (a< link) b()</SCRIPT><script async>c< base</script>");
});

test("a script that stays open stays as it is", () => {
  expect(withoutForbiddenInScripts("<script>a<link</script><script>b<link")).toBe(
    "<script>a< link</script><script>b<link",
  );
  expect(withoutForbiddenInScripts("<script a<link")).toBe("<script a<link");
});

test.each(["<link", "<script>", "<script ", "<style", "</script", "<script></script"])(
  "the page of an app that repeats %s holds nobody up",
  async (piece) => {
    const before = process.threadCpuUsage();
    await prepareHtml(piece.repeat(600_000 / piece.length), "", { loads: LOADS });
    const { user, system } = process.threadCpuUsage(before);
    // Beginning again at each of them takes a minute.
    expect((user + system) / 1000).toBeLessThan(3_000);
  },
);
