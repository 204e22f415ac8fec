import { transform } from "esbuild";
import { describe, expect, it } from "vitest";
import { artifactFor } from "./catalogue.ts";

describe("the demo's artifacts", () => {
  it.each(["a counter", "a todo list", "a clock", "a chart", "a chart of a 1, b 2", 'a card "for <you>"'])(
    "%s is a component that compiles, has a default export and names its controls",
    async (request) => {
      const { type, code } = artifactFor(`make ${request} in react`);
      expect(type).toBe("react");
      await transform(code, { loader: "tsx", jsx: "automatic" });
      expect(code.match(/^export default function [A-Z]\w+/gm)).toHaveLength(1);
      const imports = [...code.matchAll(/from "(.+)"/g)].map((match) => match[1]);
      expect(imports.every((name) => name === "react")).toBe(true);
      for (const button of code.match(/<button[\s\S]*?>/g) ?? [])
        expect(button).toMatch(/type="(?:button|submit)"/);
    },
  );

  it("escapes markup and diagram syntax in a request", () => {
    expect(artifactFor("make an html page about <script>alert(1)</script>").code).not.toContain("<script>");
    expect(artifactFor('create an svg logo for "><script>x</script>').code).not.toContain("<script>");
    const { code } = artifactFor('draw a flowchart of a"] --> b -> c');
    expect(
      code.split("\n").filter((line) => /^ {4}step\d+\["[^"[\]]*"\]$/.test(line)).length,
    ).toBeGreaterThan(1);
  });

  it("draws the requested shape in the requested color", () => {
    expect(artifactFor("create an svg of a purple star").code).toMatch(/<polygon[^>]+fill="#7c3aed"/);
  });

  it("creates a table with the given columns", () => {
    expect(artifactFor("make a markdown table comparing cats and dogs").code).toMatch(
      /^\| {2}\| Cats \| Dogs \|\n/,
    );
  });
});
