import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { openPage } from "./support/browser.ts";
import { openStage, type WebStage } from "./support/web.ts";

let stage: WebStage;

describe.skipIf(!hasBrowser())("languages in the web app", () => {
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.close());

  it("loads no other language for an English browser", async () => {
    const context = await stage.browser.newContext({ locale: "en-US" });
    const loaded: string[] = [];
    context.on("request", (request) => loaded.push(request.url()));
    const page = await context.newPage();
    await page.goto(stage.server.url);
    await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
    expect(loaded.filter((url) => url.includes("german"))).toEqual([]);
    await context.close();
  });

  it("shows a German browser German from the first paint", async () => {
    const context = await stage.browser.newContext({ locale: "de-AT" });
    const page = await context.newPage();
    await page.addInitScript(() => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      new MutationObserver(() => seen.push(document.body?.textContent ?? "")).observe(document, {
        childList: true,
        subtree: true,
      });
    });
    await page.goto(stage.server.url);
    await page.getByRole("heading", { name: "Woran arbeitest du?" }).waitFor();
    const seen = await page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen.join("\n"));
    expect(seen).not.toContain("What are you working on?");
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    expect(await page.locator("html").getAttribute("dir")).toBe("ltr");
    await context.close();
  });

  it("stays in English if the texts can't be loaded", async () => {
    const { page, context } = await openPage(stage.browser, "about:blank", { locale: "de" });
    await page.route(/german/, (route) => route.abort());
    await page.goto(stage.server.url);
    await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
    await context.close();
  });
});
