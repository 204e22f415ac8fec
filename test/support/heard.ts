import type { Page } from "playwright-core";

/** Returns a function that returns everything that screen readers were told since, however short it stood there. */
export async function listen(page: Page): Promise<() => Promise<string[]>> {
  await page.locator("[aria-live=polite]").first().waitFor({ state: "attached" });
  await page.evaluate(() => {
    const live = "[aria-live=polite], [aria-live=assertive], [role=status], [role=alert], [role=timer]";
    const heard: string[] = [];
    Object.assign(globalThis, { heard });
    const tell = (region: Element) => {
      const isSilent = region.getAttribute("aria-live") === "off";
      if (region.textContent && !isSilent) heard.push(region.textContent);
    };
    new MutationObserver((records) => {
      const changed = new Set<Element>();
      for (const { target, addedNodes } of records) {
        const element = target instanceof Element ? target : target.parentElement;
        const region = element?.closest(live);
        if (region) changed.add(region);
        // A region that appears with its text is read, too.
        for (const node of addedNodes)
          if (node instanceof Element)
            for (const one of [node, ...node.querySelectorAll("*")]) if (one.matches(live)) changed.add(one);
      }
      for (const region of changed) if (region.isConnected) tell(region);
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
  return () => page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard);
}
