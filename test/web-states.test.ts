import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, openPage, say } from "./support/browser.ts";
import { type Findings, findingsOf, type Theme } from "./support/findings.ts";
import { isLong } from "./support/long.ts";
import { DESK, focusFaults, PHONE, sampleFrames, watchFocus } from "./support/look.ts";
import { MAIN_STATES, openScenery, type Scenery, STATES, walk } from "./support/states.ts";
import { closeIfFailed } from "./support/tries.ts";

/** `npm test` looks at the twelve main states in one theme at each size, `npm run test:long` at all states in both. */
const NAMES = isLong ? Object.keys(STATES) : MAIN_STATES;
const SIZES: [name: string, options: BrowserContextOptions, themes: Theme[]][] = [
  ["on a desk", DESK, isLong ? ["light", "dark"] : ["light"]],
  ["on a phone", PHONE, isLong ? ["light", "dark"] : ["dark"]],
];
let scenery: Scenery;

describe.skipIf(!hasBrowser())("the web app in all its states", () => {
  beforeAll(async () => {
    scenery = await openScenery();
  });
  afterAll(() => scenery?.close());

  it.each(SIZES)(
    "is readable, lined up, speaks plainly and stands still on demand %s",
    async (_, options, themes) => {
      const { page, context, problems } = await openPage(scenery.stage.browser, "about:blank", {
        ...options,
        reducedMotion: "reduce",
      });
      closeIfFailed(context, scenery.stage.server.url);
      const found: Record<string, Findings> = {};
      await walk({ ...scenery, page }, NAMES, async (name) => {
        const findings = await findingsOf(page, themes);
        if (Object.keys(findings).length > 0) found[name] = findings;
      });
      expect(found).toEqual({});
      expect(problems.filter((problem) => !problem.includes("401"))).toEqual([]);
      await context.close();
    },
  );

  it.skipIf(!isLong)(
    "keeps the width of the list with 0, 1 and 40 conversations, whatever opens",
    async () => {
      const { demo, stage } = scenery;
      const { page, context } = await openPage(stage.browser, demo.url, DESK);
      const width = async () => (await page.locator("[data-part=sidebar]").boundingBox())?.width;
      const openAndClose = async () => {
        const end = await sampleFrames(page);
        const card = page.locator("[data-part=artifact-card]");
        if ((await card.getAttribute("aria-pressed")) === "false") await card.click();
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
    },
  );

  it.skipIf(!isLong)(
    "goes from the first question to the settings with keys alone, and always shows where the focus is",
    async () => {
      const { stage } = scenery;
      const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
      const faults: string[] = [];
      const press = async (key: string) => {
        await page.keyboard.press(key);
        await page.waitForTimeout(30);
        faults.push(...(await focusFaults(page)).map((fault) => `after ${key}: ${fault}`));
      };
      /** Presses the key until the focus is there. */
      const reach = async (selector: string, key: "Tab" | "Shift+Tab") => {
        for (let presses = 0; presses < 60; presses++) {
          if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
          await press(key);
        }
        throw new Error(`${key} does not reach ${selector}: ${faults.join("\n")}`);
      };
      const ask = async (text: string, ...turns: Parameters<typeof stage.play>) => {
        stage.play(...turns);
        await reach("[data-part=composer-text]", "Tab");
        await page.keyboard.type(text);
        await press("Enter");
      };
      const calls = (name: string, args: object) => chatTurn({ calls: [{ name, arguments: args }] });
      await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
      await page.locator("[data-part=composer-text]:focus").waitFor();
      const lost = await watchFocus(page);
      await ask("The time?", calls("get_time", { timeZone: "Asia/Tokyo" }), chatTurn({ text: "Late." }));
      await answered(page);
      await reach(".step-line", "Shift+Tab");
      await press("Enter");
      await page.locator("[data-part=timeline]").waitFor();
      const change = { operation: "write", path: "keys.txt", content: "a\n" };
      await ask("Change it", calls("filesystem", change), chatTurn({ text: "Changed." }));
      await page.locator("[data-part=approval]").waitFor();
      await reach(".approval .primary", "Shift+Tab");
      await press("Enter");
      await page.getByText("Changed.", { exact: true }).waitFor();
      await answered(page);
      const made = { type: "html", code: "<h1>Hello there</h1>", title: "Plain page" };
      await ask("A page", calls("generate_artifact", made), chatTurn({ text: "There it is." }));
      await page.getByText("There it is.").waitFor();
      await answered(page);
      await page.locator("[data-part=panel] iframe").waitFor();
      await press("Control+.");
      await page.locator("[data-part=panel]").waitFor({ state: "detached" });
      await reach("[data-part=artifact-card], [data-part=artifact-card] *", "Shift+Tab");
      await press("Enter");
      await page.locator("[data-part=panel] iframe").waitFor();
      await reach("[data-part=panel] [role=tab]", "Tab");
      await press("ArrowRight");
      await press("ArrowRight");
      expect(await page.getByRole("tab", { name: "Compare" }).getAttribute("aria-selected")).toBe("true");
      await reach("[data-part=panel] .panel-close", "Tab");
      await press("Enter");
      await page.locator("[data-part=panel]").waitFor({ state: "detached" });
      await press("Control+k");
      await page.locator("[data-part=palette]").waitFor();
      await page.keyboard.type("aarhus");
      await page.locator("[data-part=palette]").getByText("Aarhus").first().waitFor();
      await press("Escape");
      await reach("[data-part=sidebar] [aria-label=Settings]", "Shift+Tab");
      await press("Enter");
      await page.getByRole("dialog").getByText("Language").first().waitFor();
      for (let presses = 0; presses < 12; presses++) await press("Tab");
      await press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.waitForTimeout(200);
      faults.push(...(await focusFaults(page)), ...(await lost()));
      expect([...new Set(faults)]).toEqual([]);
      await context.close();
    },
  );
});
