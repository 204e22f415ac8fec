import type { Page } from "playwright-core";
import { axeFindings } from "./browser.ts";
import { lowContrast } from "./contrast.ts";
import { isLong } from "./long.ts";
import { iconOffsets, leftEdges, motionOver, smallTargets } from "./look.ts";
import { INTERNAL, seenText } from "./words.ts";

/** What is wrong, by check. */
export type Findings = Record<string, string[]>;
export type Theme = "light" | "dark";

/** What moves in spite of the wish for less motion. */
async function movingStill(page: Page): Promise<string[]> {
  const running = await page.evaluate(() =>
    document.getAnimations().flatMap(({ playState, effect }) => {
      const target = effect instanceof KeyframeEffect ? effect.target : null;
      return playState === "running" ? [`runs: ${target?.outerHTML.slice(0, 100)}`] : [];
    }),
  );
  return [...running, ...(await motionOver(page, 0))];
}

/** What would take longer than anything may, without that wish. */
async function slowMotion(page: Page): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  const found = await motionOver(page, 300);
  await page.emulateMedia({ reducedMotion: "reduce" });
  return found;
}

/** What does not stand on the left edge of the column, and icons that are not in the middle of their line. */
async function notInLine(page: Page): Promise<string[]> {
  const edges = await leftEdges(page);
  const [{ x: edge } = { x: 0 }] = edges;
  const beside = edges.filter(({ x }) => Math.abs(x - edge) > 0.5);
  const offsets = (await iconOffsets(page)).filter((offset) => offset > 1);
  return [...beside.map(({ part, x }) => `${part} at ${x}, not ${edge}`), ...offsets.map(String)];
}

/**
 * Everything that is wrong in this state, by check, on a page that prefers reduced motion. What depends on the theme is checked
 * in each, everything else in the first.
 */
export async function findingsOf(page: Page, themes: readonly Theme[]): Promise<Findings> {
  const found: Findings = {};
  const text = await seenText(page);
  found.words = text.split("\n").filter((line) => INTERNAL.test(line));
  found.selects = await page.locator("select").evaluateAll((all) => all.map((one) => one.outerHTML));
  if (await page.evaluate(() => matchMedia("(pointer: coarse)").matches))
    found.targets = await smallTargets(page);
  found.moving = await movingStill(page);
  found.slow = await slowMotion(page);
  found.sideways = await page.evaluate(() =>
    document.documentElement.scrollWidth > innerWidth ? [`${document.documentElement.scrollWidth}`] : [],
  );
  found.edges = await notInLine(page);
  for (const [index, colorScheme] of themes.entries()) {
    await page.emulateMedia({ colorScheme });
    found[`contrast ${colorScheme}`] = await lowContrast(page);
    found[`axe ${colorScheme}`] = await axeFindings(page, index === 0 || isLong ? "everything" : "colors");
  }
  return Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0));
}
