import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { expectAccessible, openPage } from "./support/browser.ts";
import { openStage, type WebStage } from "./support/web.ts";

describe.skipIf(!hasBrowser())("connections in the settings", () => {
  let stage: WebStage;
  beforeAll(async () => {
    stage = await openStage({ SEARXNG_BASE_URL: "http://127.0.0.1:9" });
  });
  afterAll(() => stage.close());

  it("show what is configured, and what to do about an address that does not answer", async () => {
    const { page } = await openPage(stage.browser, stage.server.url);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("link", { name: "Tools" }).click();
    const list = page.locator(".connections");
    await list.getByText("Database").waitFor();
    const search = list.getByRole("listitem").filter({ hasText: "SEARXNG_BASE_URL" });
    await search.getByText("Can’t be reached. Check that it runs").waitFor();
    await search.getByText("Details").click();
    await search.getByText(/not reachable.*SEARXNG_BASE_URL/).waitFor();
    await expectAccessible(page);
    expect(await list.getByRole("listitem").count()).toBeGreaterThan(1);
    // At 400 % the state goes below a name, which is not broken letter by letter.
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(`${stage.server.url}/#/settings/keys`);
    const ollama = page.locator(".vendors li").filter({ hasText: "Ollama" });
    await ollama.getByText("Can’t be reached").waitFor();
    const { width = 0 } = (await ollama.locator(".grow").boundingBox()) ?? {};
    expect(width).toBeGreaterThan(150);
  });
});
