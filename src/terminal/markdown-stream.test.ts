import { describe, expect, it } from "vitest";
import { seeded } from "../../test/client-server.ts";
import { widthOf } from "./lines.ts";
import { MarkdownStream } from "./markdown-stream.ts";

const TEXT = `# Title

A paragraph with **bold**, *slanted* and \`code\`, long enough that it has to be broken into several lines here.
Second line of it, with a [link](https://example.com/a) and https://example.com/b.

1. first
2. second, which is also long enough that it has to be broken and hangs under its number
   - nested

     paragraph in the item
3. third
- a
- b

> quoted words

\`\`\`ts
const a = 1;

  const b = "**not bold**";
\`\`\`
| name | value |
| --- | ---: |
| one | 1 |
| 漢字 | 2 |

---
the end`;

const plain = (_: unknown, text: string) => text;

function render(pieces: string[], columns = 60): string {
  const stream = new MarkdownStream(() => columns, plain);
  return [...pieces.flatMap((piece) => stream.push(piece)), ...stream.end()].join("\n");
}

describe("an answer in Markdown", () => {
  it("is shown with light formatting", () => {
    expect(render([TEXT])).toBe(`Title

A paragraph with bold, slanted and code, long enough that it
has to be broken into several lines here. Second line of it,
with a link (https://example.com/a) and
https://example.com/b.

1. first
2. second, which is also long enough that it has to be
   broken and hangs under its number
   • nested

     paragraph in the item
3. third
• a
• b

│ quoted words

  const a = 1;

  ${""}  const b = "**not bold**";

name  value
───────────
one   1
漢字  2

────────────────────────────────────────

the end`);
  });

  it.each([1, 2, 3, 4, 5, 6])("looks the same for any split into pieces (seed %i)", (seed) => {
    const random = seeded(seed);
    const pieces: string[] = [];
    for (let at = 0; at < TEXT.length; ) {
      const length = 1 + Math.floor(random() * 9);
      pieces.push(TEXT.slice(at, at + length));
      at += length;
    }
    expect(render(pieces)).toBe(render([TEXT]));
  });

  it("shows an unfinished block as it is, and lines of code as they arrive", () => {
    const stream = new MarkdownStream(() => 60, plain);
    expect(stream.push("Half a **par")).toEqual([]);
    expect(stream.tail()).toEqual(["Half a **par"]);
    expect(stream.push("agraph**\n\n```\nfirst line\nsec")).toEqual(["Half a paragraph", "", "  first line"]);
    expect(stream.tail()).toEqual(["  sec"]);
    expect(stream.push("ond\n```\n")).toEqual(["  second"]);
    expect(stream.tail()).toEqual([]);
  });

  it("stays within its columns, even for words without spaces and wide letters", () => {
    const text = `${"x".repeat(200)} ${"漢".repeat(100)} ${"🙂".repeat(50)}\n\n- ${"word ".repeat(60)}`;
    for (const line of render([text], 40).split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(40);
  });

  it("does not hold back an endless paragraph", () => {
    const stream = new MarkdownStream(() => 60, plain);
    let shown = 0;
    for (let at = 0; at < 5_000; at++) shown += stream.push("endless words ").length;
    expect(shown).toBeGreaterThan(500);
    expect(stream.tail().join("\n").length).toBeLessThan(7_000);
  });
});
