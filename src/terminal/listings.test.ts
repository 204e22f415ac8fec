import { expect, test } from "vitest";
import { moreModelsLines, serveLines } from "./listings.ts";

const facts = { model: "openai/gpt-4o", version: "1.2.3" };

test("a server on all addresses is shown with one that a browser opens, also in the link for the first account", () => {
  for (const host of ["0.0.0.0", "[::]"]) {
    const lines = serveLines({
      ...facts,
      url: `http://${host}:8787`,
      setUp: `http://${host}:8787/?setup=abc`,
    });
    expect(lines.slice(0, 2)).toEqual([
      "Tackle 1.2.3 is ready at http://127.0.0.1:8787",
      "From other machines, open it by the name or an address of this one.",
    ]);
    expect(lines).toContain("  http://127.0.0.1:8787/?setup=abc");
  }
});

test("any other address, and the public one, is shown as it is", () => {
  const lines = serveLines({ ...facts, url: "http://10.1.2.3:80", setUp: "https://chat.example/?setup=abc" });
  expect(lines[0]).toBe("Tackle 1.2.3 is ready at http://10.1.2.3:80");
  expect(lines.join("\n")).not.toContain("other machines");
  expect(lines).toContain("  https://chat.example/?setup=abc");
});

test("what a server with the demo model says fits a window of 80 columns", () => {
  const lines = serveLines({ ...facts, model: "demo/demo", url: "http://127.0.0.1:8787", processes: 2 });
  expect(lines.join(" ")).toContain("the offline demo model");
  for (const line of lines) expect(line.length).toBeLessThan(80);
});

test("how to get more models is broken between words, so that a name can be copied from a narrow window", () => {
  const lines = moreModelsLines(40, (_format, text) => text, "* is the default. ");
  expect(lines.join(" ")).toMatch(/^\* is the default\. For more, set one of .* or start Ollama\.$/);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
  expect(moreModelsLines(Number.POSITIVE_INFINITY, (_format, text) => text)).toHaveLength(1);
});
