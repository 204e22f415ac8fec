import { expect, it } from "vitest";
import { describeSchemas } from "./document.ts";

it("refers only to shapes that the document has", () => {
  const shapes = describeSchemas();
  const references = [...JSON.stringify(shapes).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
  const named = new Set(references.map(([, name = ""]) => name));
  expect(named.size).toBeGreaterThan(10);
  expect([...named].filter((name) => !(name in shapes))).toEqual([]);
});
