import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { jsonTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { setUpTokenOf } from "./support/accounts.ts";
import { answered, buildWebApp, choose, expectAccessible, openPage, say } from "./support/browser.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const PATIENT = { timeout: 20_000 };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const folder = temporaryFolder();
let server: ServerProcess;
let search: Upstream;
let browser: Browser;

/** On a phone the list of conversations, with the buttons below it, is hidden at first. */
async function showConversations(page: Page): Promise<void> {
  await page.locator('[data-part="composer-text"]').waitFor();
  const show = page.getByRole("button", { name: "Show conversations" });
  if (await show.isVisible()) await show.click();
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await showConversations(page);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.keyboard.press("Enter");
  // Whatever language the person has chosen.
  await page.locator('[data-part="composer-text"]').waitFor();
}

/** Returns the preferences that the server has stored. */
async function keptLanguage(page: Page): Promise<unknown> {
  const answer = await page.request.get(`${server.url}/me/settings`);
  return ((await answer.json()) as { settings: { web?: { language?: string } } }).settings.web?.language;
}

async function openSettings(page: Page): Promise<void> {
  await showConversations(page);
  await page.getByRole("button", { name: "Settings" }).click();
}

async function signUpBob(): Promise<string> {
  const signedUp = await fetch(`${server.url}/auth/sign-up`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "bob@example.com", password: "a good long one" }),
  });
  return ((await signedUp.json()) as { token: string }).token;
}

describe.skipIf(!hasBrowser())("accounts in the web app", () => {
  beforeAll(async () => {
    buildWebApp();
    browser = await startBrowser();
    // Keys are tried before they are stored.
    search = await startUpstream({ respond: () => jsonTurn({}) });
    server = await startServer(folder.path, {
      TACKLE_AUTH: "guest",
      TACKLE_LIMITS: JSON.stringify({ windowMinutes: 60, chat: { guest: 1, account: 5 } }),
      TAVILY_BASE_URL: search.url,
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await search?.close();
    folder.remove();
  });

  it("lets a guest start at once, counts down at the limit, and keeps everything after signing up", async () => {
    const { page, context } = await openPage(browser, `${server.url}/?setup=${setUpTokenOf(server)}`);
    await page.getByText("This is the first account on this server.").waitFor();
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("link", { name: "Look around as a guest: 1 questions every 1 hour" }).click();
    await page.getByText("1 question left until").waitFor();
    await say(page, "What time is it in Tokyo?");
    await answered(page);
    await say(page, "And in Paris?");
    await page.getByText(/You can ask again at .*, in \d+/).waitFor();
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("And in Paris?");
    await expectAccessible(page);

    await page.getByRole("button", { name: "Sign in for more" }).click();
    await page.getByLabel("Set-up token").fill(setUpTokenOf(server) ?? "");
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByLabel("Password").fill("correct horse battery");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create account", exact: true }).click();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    await page.getByRole("link", { name: /What time is it/ }).waitFor();
    // What was written before is still there.
    await expect
      .poll(() => page.getByRole("textbox", { name: "Message" }).inputValue(), PATIENT)
      .toBe("And in Paris?");
    await page.getByRole("textbox", { name: "Message" }).press("Enter");
    await expect.poll(() => page.locator(".asked").count(), PATIENT).toBe(2);
    await answered(page);

    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("link", { name: "Models and keys" }).click();
    await page.getByRole("button", { name: "Tavily" }).click();
    await page.getByLabel("Key for Tavily").fill("sk-test-0123456789-wxyz");
    await page.keyboard.press("Enter");
    await page.getByText("Web search · key ending wxyz").waitFor();
    await page.getByRole("link", { name: "Account" }).click();
    await page.getByRole("textbox", { name: "Name of the new key" }).fill("build");
    await page.getByRole("spinbutton", { name: "Budget in $" }).fill("2.5");
    await page.getByRole("button", { name: "Create key" }).click();
    const made = await page.locator(".made-key code").textContent();
    await page.getByText("$0.00 of $2.50 spent in 30 days").waitFor();
    await expectAccessible(page);
    const ask = () => fetch(`${server.url}/me`, { headers: { authorization: `Bearer ${made}` } });
    const revoke = page.getByRole("button", { name: "Revoke" });
    const sure = page.getByRole("dialog", { name: "Revoke “build”?" });
    await revoke.click();
    await sure.getByRole("button", { name: "Cancel" }).click();
    expect(await (await ask()).json()).toMatchObject({ kind: "account", email: "ada@example.com" });
    await revoke.click();
    await sure.getByRole("button", { name: "Revoke" }).click();
    await expect.poll(() => revoke.count(), PATIENT).toBe(0);
    expect((await ask()).status).toBe(401);
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect.poll(() => page.getByRole("link", { name: /What time is it/ }).count(), PATIENT).toBe(0);
    await context.close();
  });

  it("lets the first account find, limit, sign out, suspend and delete another, which is locked out at once", async () => {
    const token = await signUpBob();
    await fetch(`${server.url}/auth/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "curl/8.5" },
      body: JSON.stringify({ email: "bob@example.com", password: "a good long one" }),
    });
    const { page, context, problems } = await openPage(browser, server.url);
    await signIn(page, "ada@example.com", "correct horse battery");
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Administration" }).click();
    await page.getByRole("heading", { name: "Administration" }).waitFor();
    await page.getByRole("tab", { name: "People" }).click();
    await page.getByRole("searchbox", { name: "Search people" }).fill("BOB@");
    const rows = page.locator(".people li");
    await expect.poll(() => rows.count(), PATIENT).toBe(1);
    const bob = rows.filter({ hasText: "bob@example.com" });
    const act = async (name: string) => {
      await bob.getByRole("button", { name: "Actions for bob@example.com" }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    await bob.getByText(/^bob@example.com · \$0\.00 in the last /).waitFor();
    await act("Usage");
    const usage = page.getByRole("dialog", { name: "Usage of bob@example.com" });
    await usage.getByText("No usage in this period.").or(usage.getByText("Tokens per day")).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await act("Limits");
    await expectAccessible(page);
    await page.getByLabel("Questions").fill("3");
    await page.getByLabel("Cost in $").fill("1.5");
    await page.getByRole("button", { name: "Save" }).click();
    await bob.getByText("own limits").waitFor();
    const me = await fetch(`${server.url}/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(await me.json()).toMatchObject({ limits: { chat: { limit: 3 } } });
    await act("Devices");
    const devices = page.getByRole("dialog", { name: "Devices of bob@example.com" });
    await expectAccessible(page);
    await devices.getByRole("button", { name: "Sign out of curl" }).click();
    await expect.poll(() => devices.getByRole("listitem").count(), PATIENT).toBe(1);
    await page.keyboard.press("Escape");
    await act("Suspend");
    await bob.getByText("suspended", { exact: true }).waitFor();
    await expectAccessible(page);
    const refused = await fetch(`${server.url}/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(refused.status).toBe(403);
    await act("Delete");
    const deleting = page.getByRole("dialog", { name: "Delete bob@example.com?" });
    await deleting.getByText("The account, with its settings and stored keys").waitFor();
    await expectAccessible(page);
    await deleting.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByText("Nothing found.").waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it("shows usage as a chart and a table: to each person their own, to the administrator everyone's", async () => {
    for (const options of [{}, PHONE]) {
      const { page, context, problems } = await openPage(browser, server.url, options);
      await signIn(page, "ada@example.com", "correct horse battery");
      await openSettings(page);
      await page.getByRole("link", { name: "Usage" }).click();
      await page.getByRole("img", { name: /^Tokens per day: [\d.,]+K? in all, at most/ }).waitFor();
      await page.getByText("As a table").first().click();
      expect(await page.locator(".plot-table tbody tr").count()).toBe(30);
      await page.getByRole("table", { name: "By tool" }).getByText("Time", { exact: true }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press("Escape");
      await page.goto(`${server.url}/#/administration`);
      await page.getByRole("img", { name: /^(Cost|Questions) per day: / }).waitFor();
      await choose(page, "Period", "Last 7 days");
      await page.locator(".numbers").getByText("Last 7 days").first().waitFor();
      await page.getByRole("region", { name: "By model" }).getByRole("table").first().waitFor();
      await expectAccessible(page);
      await page.getByRole("tab", { name: "Health" }).click();
      await page.getByRole("table", { name: "By tool" }).getByText("Time", { exact: true }).waitFor();
      await page.getByText("Nothing is paused.").waitFor();
      await expectAccessible(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide).toBeLessThanOrEqual(0);
      expect(problems).toEqual([]);
      await context.close();
    }
  });

  it("restores model, tools, theme and language in another browser", async () => {
    const first = await openPage(browser, server.url);
    await signIn(first.page, "ada@example.com", "correct horse battery");
    await first.page.getByRole("button", { name: /^Tools \d/ }).click();
    await first.page.getByRole("switch", { name: /^Web/ }).click();
    await first.page.keyboard.press("Escape");
    await first.page.getByRole("button", { name: "Settings" }).click();
    await first.page.getByRole("radio", { name: "Dark" }).check({ force: true });
    await choose(first.page, "Language", "Deutsch");
    await expect.poll(() => keptLanguage(first.page), PATIENT).toBe("de");
    await first.context.close();
    const second = await openPage(browser, server.url);
    await signIn(second.page, "ada@example.com", "correct horse battery");
    await second.page.getByRole("button", { name: "Einstellungen" }).waitFor();
    expect(await second.page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
    await second.page.getByRole("button", { name: /^Tools \d/ }).click();
    expect(await second.page.getByRole("switch", { name: /^Web/ }).isChecked()).toBe(false);
    await second.page.keyboard.press("Escape");
    await second.page.getByRole("button", { name: "Einstellungen" }).click();
    await choose(second.page, "Sprache", "English");
    await expect.poll(() => keptLanguage(second.page), PATIENT).toBe("en");
    await second.context.close();
  });

  it("keeps the choice of tools per conversation", async () => {
    const { page, context } = await openPage(browser, server.url);
    await signIn(page, "ada@example.com", "correct horse battery");
    const picker = page.getByRole("button", { name: /^Tools \d/ });
    // The web was switched off before. The person's choice arrives after the page.
    await picker.locator(".some-off").waitFor();
    const usual = await picker.getAttribute("aria-label");
    await page.getByRole("link", { name: /What time is it/ }).click();
    await picker.click();
    await page.getByRole("dialog", { name: "Tools for this conversation" }).waitFor();
    const on = page.getByRole("switch", { checked: true });
    for (let left = await on.count(); left > 0; left--) {
      await on.first().click();
      await expect.poll(() => on.count(), PATIENT).toBe(left - 1);
    }
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Tools 0\// }).waitFor();
    await page.getByRole("button", { name: "New chat" }).click();
    await expect.poll(() => picker.getAttribute("aria-label"), PATIENT).toBe(usual);
    await page.getByRole("link", { name: /What time is it/ }).click();
    await page.getByRole("button", { name: /^Tools 0\// }).waitFor();
    await context.close();
  });

  it("changes a password, and deletes an account only with its password, after saying what is deleted", async () => {
    const { page, context } = await openPage(browser, server.url);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Create an account" }).click();
    await page.getByLabel("Email").fill("carol@example.com");
    await page.getByLabel("Password").fill("the first password");
    await page.getByRole("button", { name: "Create account", exact: true }).click();
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("link", { name: "Account" }).click();
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByLabel("Current password").fill("not the one");
    await page.getByLabel("New password").fill("the second password");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByRole("alert").getByText("The password is wrong").waitFor();
    await page.getByLabel("Current password").fill("the first password");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("Password changed.").waitFor();
    await expectAccessible(page);
    await page.getByText(/your conversations, artifacts, files, settings/).waitFor();
    await page.getByRole("button", { name: "Delete account" }).click();
    await page.getByLabel("Your password").fill("the second password");
    expect(await page.getByRole("button", { name: "Delete permanently" }).isDisabled()).toBe(true);
    await page.getByLabel("Type carol@example.com to confirm").fill("carol@example.com");
    await page.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByText(/question left/).waitFor();
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByLabel("Email").fill("carol@example.com");
    await page.getByLabel("Password").fill("the second password");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await context.close();
  });

  it("shows the administration only to administrators", async () => {
    const { page, context } = await openPage(browser, `${server.url}/#/administration`);
    await page.getByText("Only administrators can see this.").waitFor();
    expect(await page.locator(".administration section").count()).toBe(0);
    await context.close();
  });

  it("says when a password is wrong", async () => {
    const { page, context } = await openPage(browser, server.url);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByLabel("Password").fill("not the one");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("Email or password isn’t right.").waitFor();
    const focused = await page.evaluate(() => document.activeElement?.id);
    expect(focused).toBe("password");
    await expectAccessible(page);
    await context.close();
  });

  it("shows a page to sign in where accounts are required, creates the first account with the link, and signs out devices", async () => {
    const own = temporaryFolder();
    const required = await startServer(own.path, { TACKLE_AUTH: "required" });
    try {
      const { page, context } = await openPage(browser, required.url);
      await page.getByLabel("Set-up token").waitFor();
      // Before there is an account, nobody can sign in with one.
      expect(await page.getByText("Already have an account?").count()).toBe(0);
      await expectAccessible(page);
      const scripts = await page.evaluate(() =>
        performance.getEntriesByType("resource").map(({ name }) => name),
      );
      expect(scripts.filter((name) => /\/assets\/index|react/.test(name))).toEqual([]);
      const link = `${required.url}/?setup=${setUpTokenOf(required)}`;
      await page.goto(link.slice(0, -2));
      await page.getByText("This is the first account on this server.").waitFor();
      expect(page.url()).not.toContain("setup");
      await page.getByLabel("Email").fill("ada@example.com");
      await page.getByLabel("Password").fill("correct horse battery");
      await page.getByRole("button", { name: "Create account", exact: true }).click();
      // Half of a link is no reason to start again.
      await page.locator("#setupToken + [role=alert]", { hasText: "This is another one." }).waitFor();
      await page.getByLabel("Set-up token").fill(setUpTokenOf(required) ?? "");
      await page.keyboard.press("Enter");
      await say(page, "What time is it in Paris?");
      await answered(page);
      const wanted = page.url();
      expect(wanted).toContain("#/s/");
      await context.clearCookies();
      await say(page, "And in Rome?");
      const box = page.locator("[data-part=problem]");
      await box.getByText("You’re signed out.").waitFor();
      await box.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("heading", { name: "Sign in to Tackle" }).waitFor();
      await page.getByText("No account yet? Ask the administrator").waitFor();
      // The link for the first account creates no second one.
      await page.goto(link + new URL(wanted).hash);
      await page.getByRole("heading", { name: "Sign in to Tackle" }).waitFor();
      await page.getByRole("button", { name: "Forgot it?" }).click();
      await page.getByText("Ask its administrator for a new password.").waitFor();
      await page.getByRole("button", { name: "Back to sign-in" }).click();
      await page.getByLabel("Email").fill("ada@example.com");
      await page.getByLabel("Password").fill("correct horse battery");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.locator(".asked").getByText("Paris").waitFor();
      expect(page.url()).toBe(wanted);
      expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("And in Rome?");
      await say(page, "What time is it in Tokyo?");
      await answered(page);
      await page.goto(`${required.url}/#/settings/account`);
      const devices = page.locator(".devices li");
      await expect.poll(() => devices.count(), PATIENT).toBe(2);
      await devices.getByRole("button", { name: "Sign out of Chrome on Linux" }).click();
      await expect.poll(() => devices.count(), PATIENT).toBe(1);
      await page.getByLabel("Name").first().fill("Ada Lovelace");
      await page.keyboard.press("Enter");
      await page
        .getByRole("navigation", { name: "Conversations", includeHidden: true })
        .getByText("Ada Lovelace")
        .waitFor();
      await expectAccessible(page);
      const other = await context.newPage();
      await other.goto(wanted);
      await other.locator(".asked").getByText("Paris").waitFor();
      await devices.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in to Tackle" }).waitFor();
      // The other tab shows nothing of the person either.
      await other.getByRole("heading", { name: "Sign in to Tackle" }).waitFor();
      await context.close();
    } finally {
      await required.stop();
      own.remove();
    }
  });
});
