import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { signUp } from "./support/accounts.ts";
import { answered, buildWebApp, expectAccessible, openPage, say } from "./support/browser.ts";
import { CLIENT, startProvider, type TestProvider } from "./support/oidc.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const folder = temporaryFolder();
let provider: TestProvider;
let server: ServerProcess;
let browser: Browser;

/** Lets the page load the conversation it opens, but not the copy of it for reading offline. */
async function holdCopies(page: Page): Promise<{ begun: Promise<void>; order(): string[] }> {
  const MESSAGES = /\/sessions\/[^/]+\/messages/;
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const order: string[] = [];
  let loaded = 0;
  await page.route(MESSAGES, (route) => (++loaded === 1 ? route.continue() : resolve()));
  page.on("requestfailed", (request) => {
    if (MESSAGES.test(request.url())) order.push("copying ended");
  });
  page.on("request", (request) => {
    if (request.url().endsWith("/auth/sign-out")) order.push("signed out");
  });
  return { begun, order: () => order };
}

describe.skipIf(!hasBrowser())("signing in by a provider in a browser", () => {
  beforeAll(async () => {
    buildWebApp();
    browser = await startBrowser();
    provider = await startProvider(() => [`${server.url}/auth/provider/callback`]);
    provider.people.set("bob", { email: "bob@example.com", email_verified: true, name: "Bob" });
    provider.people.set("mallory", { email: "owner@example.com", email_verified: false });
    server = await startServer(join(folder.path, "data"), {
      TACKLE_AUTH: "guest",
      TACKLE_SIGN_UP: "provider",
      TACKLE_OIDC_ISSUER: provider.url,
      TACKLE_OIDC_CLIENT_ID: CLIENT.id,
      TACKLE_OIDC_CLIENT_SECRET: CLIENT.secret,
      TACKLE_OIDC_NAME: "Acme",
    });
    await signUp(server, "owner");
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await provider?.close();
    folder.remove();
  });

  it("brings a guest with their conversation through the provider, and out again", async () => {
    const { page, context, problems } = await openPage(browser, server.url);
    await say(page, "What time is it in Tokyo?");
    await answered(page);
    const [, session = ""] = page.url().split("#");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    const button = page.getByRole("button", { name: "Continue with Acme" });
    await button.waitFor();
    await expectAccessible(page);
    // The page has nothing of the app, and does not offer an account with a password.
    expect(await page.locator("script[src*=main]").count()).toBeLessThan(2);
    expect(await page.getByText("New here?").count()).toBe(0);
    await button.click();
    await page.getByLabel("Who are you?").fill("bob");
    const copying = await holdCopies(page);
    await page.getByRole("button", { name: "Continue" }).click();
    await answered(page);
    expect(page.url()).toBe(`${server.url}/#${session}`);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("link", { name: "Account" }).click();
    await page.getByText("bob@example.com").waitFor();
    await page.getByText("None. You sign in without one.").waitFor();
    await expectAccessible(page);
    await copying.begun;
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    // Afterwards it would be asked for as nobody, and refused.
    expect(copying.order()).toEqual(["copying ended", "signed out"]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("says in one sentence why nobody was signed in, in the person's language", async () => {
    const { page, context } = await openPage(browser, `${server.url}/sign-in#/wanted`, { locale: "de" });
    const button = page.getByRole("button", { name: "Weiter mit Acme" });
    await button.click();
    await page.getByLabel("Who are you?").fill("mallory");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Acme hat nicht bestätigt, dass deine E-Mail-Adresse dir gehört.").waitFor();
    // Nothing of it stays in the address, and the person can still go where they wanted to.
    expect(page.url()).toBe(`${server.url}/sign-in#/wanted`);
    await expectAccessible(page);
    await context.close();
  });

  it("says that the provider can't be reached, and lets people sign in with a password", async () => {
    const other = await startServer(join(folder.path, "down"), {
      TACKLE_AUTH: "required",
      TACKLE_OIDC_ISSUER: "http://127.0.0.1:9",
      TACKLE_OIDC_CLIENT_ID: "tackle",
      TACKLE_OIDC_NAME: "Acme",
    });
    try {
      await signUp(other, "owner");
      const { page, context } = await openPage(browser, other.url);
      await page.getByRole("button", { name: "Continue with Acme" }).click();
      await page.getByText("Acme can’t be reached right now. Try again in a moment.").waitFor();
      expect(await page.getByRole("alert").count()).toBe(1);
      await page.getByLabel("Email").fill("owner@example.com");
      await page.getByLabel("Password").fill("correct horse battery");
      await page.keyboard.press("Enter");
      await page.getByRole("textbox", { name: "Message" }).waitFor();
      await context.close();
    } finally {
      await other.stop();
    }
  });
});
