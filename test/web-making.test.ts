import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSearch } from "../src/sim/testing/search.ts";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, buildWebApp, expectAccessible, openPage, say } from "./support/browser.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { inPanelMenu } from "./support/web.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);
const folder = temporaryFolder();
let server: ServerProcess;
let search: Awaited<ReturnType<typeof startSearch>>;
let browser: Browser;

const frameOf = (page: Page) => page.frameLocator(".artifact-panel iframe");

describe.skipIf(!hasBrowser())("artifacts, search results and files in the web app", () => {
  beforeAll(async () => {
    buildWebApp();
    browser = await startBrowser();
    search = await startSearch("tavily");
    server = await startServer(folder.path, { ...search.settings });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await search?.close();
    folder.remove();
  });

  it("runs an artifact in its own frame beside the chat, and saves an edit as a new version", async () => {
    const { page, context, problems } = await openPage(browser, server.url, {
      viewport: { width: 1440, height: 900 },
    });
    await say(page, "Make a React counter component");
    await frameOf(page).getByText("Counter").first().waitFor();
    await answered(page);
    const frame = page.locator(".artifact-panel iframe");
    expect(await frame.getAttribute("sandbox")).toBe("allow-scripts");
    await frameOf(page)
      .getByRole("button", { name: /\+|increase|increment|add|plus/i })
      .first()
      .click();
    await frameOf(page).getByText("1", { exact: true }).waitFor();
    await expectAccessible(page);

    await page.getByRole("tab", { name: "Code" }).click();
    const editor = page.getByRole("textbox", { name: "Code" });
    await editor.click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("// mine\n");
    await page.getByRole("button", { name: "Save as version 2" }).click();
    await page.getByRole("button", { name: "Version 2", exact: true }).waitFor();
    await page.getByRole("tab", { name: "Compare" }).click();
    await page.locator(".diff-added", { hasText: "// mine" }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it("offers to fix a failing artifact, and stops one on request", async () => {
    const { page, context } = await openPage(browser, server.url, { viewport: { width: 1440, height: 900 } });
    await say(page, "Make a React counter component");
    await frameOf(page).getByText("Counter").first().waitFor();
    await answered(page);
    await page.getByRole("tab", { name: "Code" }).click();
    await page.getByRole("textbox", { name: "Code" }).click();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("export default function Broken() { throw new Error('it broke'); ");
    await page.getByRole("button", { name: "Save as version 2" }).click();
    await page.getByRole("tab", { name: "Preview" }).click();
    await page.locator(".frame-line", { hasText: "it broke" }).waitFor();
    await inPanelMenu(page, "More", "Stop");
    expect(await page.locator(".artifact-panel iframe").count()).toBe(0);
    await page.getByRole("button", { name: "Fix" }).click();
    await page.locator(".asked", { hasText: "it broke" }).waitFor();
    await context.close();
  });

  it("shows what a source is when its number is tapped, and opens nothing", async () => {
    const { page, context } = await openPage(browser, server.url, {
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
    });
    await page.getByRole("textbox", { name: "Message" }).fill("search the web for zebras");
    await page.getByRole("button", { name: "Send" }).tap();
    await answered(page);
    await page.locator(".citation").first().tap();
    const card = page.locator(".source-card");
    await card.waitFor();
    expect((await card.getByRole("link").boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect(context.pages()).toHaveLength(1);
    await page.touchscreen.tap(200, 20);
    await card.waitFor({ state: "detached" });
    await context.close();
  });

  it("shows search results as cards, and links the numbers in the text to them", async () => {
    const { page, context } = await openPage(browser, server.url);
    await say(page, "search the web for zebras");
    await answered(page);
    await page.getByRole("button", { name: /^\d+ sources$/ }).click();
    expect(await page.locator(".sources li").count()).toBeGreaterThan(0);
    const citation = page.locator(".citation").first();
    expect(await citation.getAttribute("href")).toMatch(/^https?:/);
    expect(await citation.getAttribute("rel")).toContain("noreferrer");
    await expectAccessible(page);
    const card = page.locator(".source-card");
    await citation.hover();
    await card.waitFor();
    // The pointer may go to the card without closing it.
    await card.hover();
    expect(await card.textContent()).not.toBe("");
    expect(await card.locator("img").count()).toBe(0);
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
    await page.mouse.move(0, 0);
    await page.getByRole("textbox", { name: "Message" }).focus();
    await page.keyboard.press("Shift+Tab");
    await citation.focus();
    await card.waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
    expect(await citation.evaluate((one) => one === document.activeElement)).toBe(true);
    await context.close();
  });

  it("attaches chosen and pasted files, and shows them with the question", async () => {
    const { page, context } = await openPage(browser, server.url);
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: PNG });
    await page.locator(".attachments", { hasText: "dot.png" }).waitFor();
    await page.getByRole("textbox", { name: "Message" }).evaluate((field) => {
      const data = new DataTransfer();
      data.items.add(new File(["pasted text"], "pasted.txt", { type: "text/plain" }));
      field.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
      );
    });
    await page.locator(".attachments", { hasText: "pasted.txt" }).waitFor();
    await page.getByRole("button", { name: "Remove pasted.txt" }).click();
    await say(page, "what is this?");
    const image = page.locator(".asked img");
    await image.waitFor();
    await answered(page);
    await page.reload();
    await image.waitFor();
    expect(await image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1);
    await context.close();
  });
});
