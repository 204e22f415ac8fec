/** Splits an example with the parts to remove in `⟦ ⟧` into the text and what should be left of it. */
export function marked(example: string, mark: string): { text: string; clean: string } {
  return { text: example.replace(/[⟦⟧]/g, ""), clean: example.replace(/⟦[^⟧]*⟧/g, mark) };
}
