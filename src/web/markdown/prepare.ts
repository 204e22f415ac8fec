import { BlockSplitter } from "./blocks.ts";

const SAMPLE =
  "# One\n\n**two** *three* `four` [five](https://example.com), ~~six~~ <b>\n\n- seven\n  1. eight\n\n> nine\n\n| ten |\n| --- |\n| $x$ |\n";

/** Parses something as soon as the page has nothing else to do, so that the first words of an answer don't wait for the parser. */
export function prepareMarkdown(): void {
  const parse = () => void new BlockSplitter().update(SAMPLE, true);
  if ("requestIdleCallback" in globalThis) requestIdleCallback(parse);
  else setTimeout(parse, 1_000);
}
