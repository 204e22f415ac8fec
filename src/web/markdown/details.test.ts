import { describe, expect, it } from "vitest";
import { BlockSplitter, type TextBlock } from "./blocks.ts";
import { foldDetails } from "./details.ts";

type Outline = (string | { summary: string; inside: Outline })[];

function outline(blocks: readonly TextBlock[]): Outline {
  return blocks.map(({ source, details }) =>
    details ? { summary: details.summary, inside: outline(details.blocks) } : source.trim(),
  );
}

function fold(text: string): Outline {
  return outline(foldDetails(new BlockSplitter().update(text, true)));
}

describe("folded details", () => {
  it("can appear in each other", () => {
    const inner = "<details>\n<summary>Inner</summary>\n\nDeep.\n\n</details>";
    const text = `<details>\n<summary>Outer</summary>\n\nBefore.\n\n${inner}\n\nAfter.\n\n</details>\n\nOutside.`;
    expect(fold(text)).toEqual([
      { summary: "Outer", inside: ["Before.", { summary: "Inner", inside: ["Deep."] }, "After."] },
      "Outside.",
    ]);
  });

  it("need no empty lines between tags and words", () => {
    const inner = "<details><summary>Inner</summary>Deep.</details>";
    const text = `<details><summary>Outer</summary>\n**Before.**\n${inner}\n</details>\nOutside.`;
    expect(fold(text)).toEqual([
      { summary: "Outer", inside: ["**Before.**", { summary: "Inner", inside: ["Deep."] }] },
      "Outside.",
    ]);
  });

  it("hold what follows until they are closed, and a tag that closes nothing stays as it is", () => {
    expect(fold("<details>\n<summary>More</summary>\n\nOne.\n\nTwo.")).toEqual([
      { summary: "More", inside: ["One.", "Two."] },
    ]);
    for (const text of ["</details>", "<details id=x></details>"])
      expect(fold(`${text}\n\nText.`)).toEqual([text, "Text."]);
  });
});
