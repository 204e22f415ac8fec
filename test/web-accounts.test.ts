import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  answered,
  buildWebApp,
  expectAccessible,
  hasBrowser,
  openPage,
  say,
  startBrowser,
} from "./support/browser.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const folder = temporaryFolder();
let server: ServerProcess;
let browser: Browser;

describe.skipIf(!hasBrowser())("who is who in the web app", () => {
  beforeAll(async () => {
    buildWebApp();
    browser = await startBrowser();
    server = await startServer(folder.path, {
      TACKLE_AUTH: "guest",
      TACKLE_LIMITS: JSON.stringify({ windowMinutes: 60, chat: { guest: 1, account: 5 } }),
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    folder.remove();
  });

  it("lets a guest begin at once, counts down when the limit is reached, and takes everything along on signing up", async () => {
    const { page, context } = await openPage(browser, server.url);
    await page.getByText("1 of 1 questions left").waitFor();
    await say(page, "What time is it in Tokyo?");
    await answered(page);
    await page.getByText("0 of 1 questions left").waitFor();
    await say(page, "And in Paris?");
    await page.getByText(/You can go on in \d+/).waitFor();
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("And in Paris?");
    await expectAccessible(page);

    await page.getByRole("button", { name: /Sign up for more/ }).click();
    await page.getByRole("button", { name: "I need an account" }).click();
    await page.getByLabel("E-mail").fill("ada@example.com");
    await page.getByLabel("Password").fill("correct horse battery");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Sign up", exact: true }).click();
    await expect.poll(() => page.getByText("questions left").count()).toBe(0);
    await page.getByRole("link", { name: /What time is it/ }).waitFor();
    await page.getByRole("textbox", { name: "Message" }).focus();
    await page.keyboard.press("Enter");
    await answered(page);
    expect(await page.locator(".asked").count()).toBe(2);

    await page.getByRole("button", { name: "Settings" }).click();
    const key = page.getByLabel("OpenAI");
    await key.fill("sk-test-0123456789-wxyz");
    await page.keyboard.press("Enter");
    await page.getByPlaceholder("Stored, ends in wxyz").waitFor();
    await page.getByRole("textbox", { name: "Name of a new key" }).fill("build");
    await page.getByRole("button", { name: "Make a key" }).click();
    const made = await page.locator(".made-key code").textContent();
    const seen = await fetch(`${server.url}/me`, { headers: { authorization: `Bearer ${made}` } });
    expect(await seen.json()).toMatchObject({ kind: "account", email: "ada@example.com" });
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect.poll(() => page.getByRole("link", { name: /What time is it/ }).count()).toBe(0);
    await context.close();
  });

  it("lets the first account suspend another, who is shut out at once", async () => {
    const body = { email: "bob@example.com", password: "a good long one" };
    const signedUp = await fetch(`${server.url}/auth/sign-up`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { token } = (await signedUp.json()) as { token: string };
    const { page, context } = await openPage(browser, server.url);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("E-mail").fill("ada@example.com");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("button", { name: "People" }).click();
    const bob = page.locator(".people li", { hasText: "bob@example.com" });
    await bob.getByRole("button", { name: "Suspend" }).click();
    await bob.getByText("suspended", { exact: true }).waitFor();
    await expectAccessible(page);
    const refused = await fetch(`${server.url}/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(refused.status).toBe(403);
    await context.close();
  });

  it("says so where a password is wrong", async () => {
    const { page, context } = await openPage(browser, server.url);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("E-mail").fill("ada@example.com");
    await page.getByLabel("Password").fill("not the one");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("alert").waitFor();
    await context.close();
  });
});
