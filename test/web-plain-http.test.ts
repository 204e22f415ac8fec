import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, buildWebApp, openPage, say } from "./support/browser.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

/** A name that leads to this machine, but that browsers do not trust as they trust localhost. */
const NAME = "host.docker.internal";
const folder = temporaryFolder();
let server: ServerProcess;
let browser: Browser;

describe.skipIf(!hasBrowser())("the web app at an address without HTTPS", () => {
  beforeAll(async () => {
    buildWebApp();
    browser = await startBrowser(`--host-resolver-rules=MAP ${NAME} 127.0.0.1`);
    server = await startServer(folder.path);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    folder.remove();
  });

  it("answers, shows an artifact and copies, although browsers offer less there", async () => {
    const { page, context, problems } = await openPage(browser, server.url.replace("127.0.0.1", NAME));
    const field = page.getByRole("textbox", { name: "Message" });
    await field.waitFor();
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    await say(page, "What is 6 times 7?");
    await answered(page);
    const answer = page.locator("article.answer").last();
    expect(await answer.textContent()).toContain("42");
    await answer.getByRole("button", { name: "Copy", exact: true }).click();
    await answer.getByRole("button", { name: "Copied" }).waitFor();
    await field.press("ControlOrMeta+v");
    expect(await field.inputValue()).toContain("42");
    await say(page, "Build a small counter app in React");
    await answered(page);
    await page.locator("[data-part=artifact-card]").last().click();
    await page.locator("[data-part=panel] iframe").waitFor();
    // A dialog keeps everything beside it from being selected.
    await page.getByRole("button", { name: "Share", exact: true }).first().click();
    const dialog = page.getByRole("dialog", { name: "Share this conversation" });
    await dialog.getByRole("button", { name: "Create link" }).click();
    await dialog.getByRole("button", { name: "Copy link" }).click();
    await dialog.getByRole("button", { name: "Copied" }).waitFor();
    expect(problems.filter((text) => !text.startsWith("The Cross-Origin-Opener-Policy header"))).toEqual([]);
    await context.close();
  });
});
