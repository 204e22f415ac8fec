import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import {
  answered,
  buildWebApp,
  choose,
  expectAccessible,
  openMovingPage as openPage,
  say,
} from "./support/browser.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const folder = temporaryFolder();
let server: ServerProcess;
let browser: Browser;

/** Returns the text of the entry that has the focus, or that the focused field points to. */
const marked = (page: Page) =>
  page.evaluate(() => {
    const focused = document.activeElement;
    const id = focused?.getAttribute("aria-activedescendant");
    return (id ? document.getElementById(id) : focused)?.textContent ?? "";
  });

describe.skipIf(!hasBrowser())("menus and lists in the web app", () => {
  beforeAll(async () => {
    buildWebApp();
    browser = await startBrowser();
    server = await startServer(folder.path);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    folder.remove();
  });

  it("closes a dialog by a click beside it, but not by text that is selected beyond its edge", async () => {
    const { page, context } = await openPage(browser, `${server.url}/#/projects`);
    await page.getByRole("button", { name: "New project" }).click();
    const field = page.getByRole("textbox", { name: "Name" });
    await field.fill("Lisbon office");
    const { x = 0, y = 0, height = 0 } = (await field.boundingBox()) ?? {};
    await page.mouse.move(x + 60, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(40, y + height / 2, { steps: 4 });
    await page.mouse.up();
    expect(await field.inputValue()).toBe("Lisbon office");
    await page.mouse.click(40, 40);
    await field.waitFor({ state: "detached" });
    await context.close();
  });

  it("moves in a menu with arrows, Home, End and letters, and Escape gives the focus back", async () => {
    const { page, context, problems } = await openPage(browser, server.url);
    await say(page, "hello there");
    await answered(page);
    const more = page.getByRole("button", { name: /^More: / }).first();
    await more.focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("menu").waitFor();
    const labels = await page.getByRole("menuitem").allTextContents();
    expect(await marked(page)).toBe(labels[0]);
    await page.keyboard.press("End");
    expect(await marked(page)).toBe(labels.at(-1));
    await page.keyboard.press("ArrowDown");
    expect(await marked(page)).toBe(labels[0]);
    await page.keyboard.press("d");
    expect(await marked(page)).toBe("Delete");
    await page.keyboard.press("Home");
    expect(await marked(page)).toBe(labels[0]);
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    expect(await more.evaluate((button) => button === document.activeElement)).toBe(true);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("has a menu beside the title of the conversation, which renames and pins it", async () => {
    const { page, context } = await openPage(browser, server.url);
    await say(page, "hello from the title");
    await answered(page);
    const bar = page.locator("[data-part=bar]");
    const menu = bar.getByRole("button", { name: "Conversation menu" });
    await menu.click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("Greetings");
    await page.getByRole("button", { name: "Save" }).click();
    await bar.getByRole("heading", { name: "Greetings" }).waitFor();
    await menu.click();
    await page.getByRole("menuitem", { name: "Pin", exact: true }).click();
    await page.locator("[data-part=sidebar]").getByRole("heading", { name: "Pinned" }).waitFor();
    await menu.click();
    await page.getByRole("menuitem", { name: "Unpin" }).click();
    await context.close();
  });

  it("chooses from a list by keys while the focus stays on the button, also inside a dialog", async () => {
    const { page, context } = await openPage(browser, `${server.url}/#/settings/general`);
    const language = page.getByRole("combobox", { name: "Language" });
    await language.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("listbox").waitFor();
    expect(await marked(page)).toBe("English");
    await page.keyboard.press("d");
    expect(await marked(page)).toBe("Deutsch");
    await page.keyboard.press("Escape");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    expect(await page.getByRole("dialog").count()).toBe(1);
    expect(await language.textContent()).toBe("English");
    await page.keyboard.press("d");
    await page.keyboard.press("Enter");
    await page.getByRole("combobox", { name: "Sprache" }).getByText("Deutsch").waitFor();
    // The choice follows the person, also into the next test.
    await choose(page, "Sprache", "English");
    await page.getByRole("combobox", { name: "Language" }).waitFor();
    await context.close();
  });

  it("shows a menu as a sheet on a phone, and a tap beside it closes it and does nothing else", async () => {
    const { page, context } = await openPage(browser, `${server.url}/#/settings/general`, PHONE);
    await page.getByRole("combobox", { name: "Language" }).tap();
    const list = page.getByRole("listbox");
    await list.waitFor();
    await page.waitForTimeout(300);
    const box = await page.locator(".floating").boundingBox();
    expect(box).toMatchObject({ x: 0, width: 390 });
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(844);
    expect((await list.getByRole("option").first().boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await page.touchscreen.tap(36, 36);
    await list.waitFor({ state: "detached" });
    await page.getByRole("combobox", { name: "Language" }).waitFor();
    expect(await page.locator("select").count()).toBe(0);
    await context.close();
  });
});
