import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { closeIfFailed } from "./tries.ts";

/** Builds the web app if its sources have changed, unless `npm test` has just done so. */
export function buildWebApp(): void {
  if (process.env.TACKLE_TEST_WEB === "built") return;
  const done = spawnSync(process.execPath, [resolve(import.meta.dirname, "../../scripts/web.mjs")], {
    encoding: "utf8",
  });
  if (done.status !== 0) throw new Error(`the web app could not be built: ${done.stdout}${done.stderr}`);
}

/** Opens a page in its own profile, and collects its errors. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; context: BrowserContext; problems: string[] }> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: "en",
    // A service worker would answer what tests intercept.
    serviceWorkers: "block",
    // Each frame of a movement is painted. See `openMovingPage`.
    reducedMotion: "reduce",
    ...options,
  });
  closeIfFailed(context, url);
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return { page, context, problems };
}

/** Opens a page on which things move, as for most people: for tests of the look, of menus and of what everybody does. */
export function openMovingPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): ReturnType<typeof openPage> {
  return openPage(browser, url, { reducedMotion: "no-preference", ...options });
}

/** Types a message and sends it with Enter. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}

/** Chooses an option of a list that a button opens. */
export async function choose(page: Page, list: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name: list, exact: true }).click();
  await page.getByRole("option", { name: option }).click();
}

/** Waits until the last message is a complete answer. */
export async function answered(page: Page): Promise<void> {
  await page.locator(".log[aria-busy=false] article.answer:last-of-type:not([data-live])").waitFor();
}

/** Unfolds what was done for the newest answer. */
export async function openSteps(page: Page): Promise<void> {
  await page.locator("article.answer").last().getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Show steps" }).click();
}

let axeSource: string | undefined;

/** The page's policy blocks test scripts, so the debugger injects axe. */
async function injectAxe(page: Page): Promise<void> {
  axeSource ??= readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeSource);
}

/** Everything that axe knows about WCAG 2.2 AA, and its own advice. */
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const COLOR_RULES = ["color-contrast", "link-in-text-block"];

/** Returns everything that axe objects to, however slight, or what it objects to in the colors. */
export async function axeFindings(page: Page, of: "everything" | "colors"): Promise<string[]> {
  await injectAxe(page);
  const only = of === "everything" ? { type: "tag", values: TAGS } : { type: "rule", values: COLOR_RULES };
  return page.evaluate(async (runOnly) => {
    interface Violation {
      id: string;
      nodes: { html: string; any: { message: string }[] }[];
    }
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Violation[] }> };
    };
    const { violations } = await axe.run({
      runOnly,
      ...(runOnly.type === "tag" && {
        rules: { "target-size": { enabled: true }, "heading-order": { enabled: true } },
      }),
      resultTypes: ["violations"],
      // What an artifact shows is its own affair.
      iframes: false,
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ""}`),
    );
  }, only);
}

/** Fails on anything that axe calls serious or critical. */
export async function expectAccessible(page: Page): Promise<void> {
  await injectAxe(page);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: object): Promise<{
          violations: { id: string; impact: string; nodes: { html: string }[] }[];
        }>;
      };
    };
    // Everything that can be serious is checked, and only what is wrong is described. Without axe in them, frames don't answer it.
    const { violations } = await axe.run({
      resultTypes: ["violations"],
      iframes: false,
      rules: { region: { enabled: false } },
    });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
  });
  expect(found).toEqual([]);
}
