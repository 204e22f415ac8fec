import type { Page } from "playwright-core";

/** Names of tools and settings, codes, ids: words that have no place on the screen. */
export const INTERNAL =
  /\b[a-z]+_[a-z]+\b|\b[A-Z]+_[A-Z]+\b|\b[0-9a-f]{8}-[0-9a-f]{4}|\b(?:openai|demo)\/[\w-]+/;

/** Returns the text that is on the screen, without the details, the entries of the audit log and the commands and changes that are to be approved. */
export function seenText(page: Page): Promise<string> {
  return page.evaluate(() => {
    const exact = ".approval pre, .approval .diff, .problem-details, .step-body, .audit-table td, .unseen";
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const seen: string[] = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!element?.checkVisibility({ visibilityProperty: true }) || element.closest(exact)) continue;
      seen.push(node.textContent ?? "");
    }
    return seen.join("\n");
  });
}
