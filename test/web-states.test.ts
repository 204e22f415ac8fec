import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, openPage, say } from "./support/browser.ts";
import { type Findings, findingsOf } from "./support/findings.ts";
import { isLong } from "./support/long.ts";
import { DESK, PHONE, sampleFrames } from "./support/look.ts";
import { MAIN_STATES, openScenery, type Scenery, STATES, walk } from "./support/states.ts";

const SIZES: [name: string, options: BrowserContextOptions][] = [
  ["on a desk", DESK],
  ["on a phone", PHONE],
];
const THEMES = ["light", "dark"] as const;
/** `npm test` looks at the twelve main states, at some sizes in one theme; `npm run test:long` at all. */
const NAMES = isLong ? Object.keys(STATES) : MAIN_STATES;
let scenery: Scenery;

describe.skipIf(!hasBrowser())("the web app in all its states", () => {
  beforeAll(async () => {
    scenery = await openScenery();
  });
  afterAll(() => scenery?.close());

  it.each(SIZES)("is readable, speaks plainly and stands still on demand %s", async (size, options) => {
    const { page, context, problems } = await openPage(scenery.stage.browser, "about:blank", {
      ...options,
      reducedMotion: "reduce",
    });
    const themes = isLong ? THEMES : size === "on a desk" ? (["dark"] as const) : (["light"] as const);
    const found: Record<string, Findings> = {};
    await walk({ ...scenery, page }, NAMES, async (name) => {
      const findings = await findingsOf(page, themes);
      if (Object.keys(findings).length > 0) found[name] = findings;
    });
    expect(found).toEqual({});
    expect(problems.filter((problem) => !problem.includes("401"))).toEqual([]);
    await context.close();
  });

  it("keeps the width of the list with 0, 1 and 40 conversations, whatever opens", async () => {
    const { demo, stage } = scenery;
    const { page, context } = await openPage(stage.browser, demo.url, DESK);
    const width = async () => (await page.locator("[data-part=sidebar]").boundingBox())?.width;
    const openAndClose = async () => {
      const end = await sampleFrames(page);
      if ((await page.locator("[data-part=panel]").count()) === 0)
        await page.locator("[data-part=artifact-card]").click();
      await page.locator("[data-part=panel] iframe").waitFor();
      await page.locator("[data-part=panel]").getByRole("button", { name: "Close" }).click();
      await page.locator("[data-part=panel]").waitFor({ state: "detached" });
      await page.waitForTimeout(300);
      expect(new Set((await end()).map(({ sidebar }) => sidebar))).toEqual(new Set([264]));
    };
    await page.getByText("Your chats will show up here.").waitFor();
    expect(await width()).toBe(264);
    const end = await sampleFrames(page);
    await say(page, "Build a small counter app in React");
    await answered(page);
    expect(new Set((await end()).map(({ sidebar }) => sidebar))).toEqual(new Set([264]));
    expect(await page.locator(".session").count()).toBe(1);
    await openAndClose();
    for (let count = 1; count < 40; count++)
      await context.request.post(`${demo.url}/sessions`, {
        data: { title: `A conversation with a long title that does not fit ${count}` },
      });
    await page.reload();
    await expect.poll(() => page.locator(".session").count()).toBeGreaterThanOrEqual(30);
    expect(await width()).toBe(264);
    await openAndClose();
    await context.close();
  });
});
