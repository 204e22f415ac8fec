import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mailText, startMailServer } from "../src/contain/testing/mail-server.ts";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { ask, bearer, PASSWORD, signUp, type TestAccount } from "./support/accounts.ts";
import { answered, buildWebApp, expectAccessible, openPage, say } from "./support/browser.ts";
import { PHONE } from "./support/look.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const folder = temporaryFolder();
let mail: Awaited<ReturnType<typeof startMailServer>>;
let server: ServerProcess;
let browser: Browser;
let ada: TestAccount;
let bob: TestAccount;

/** Opens the app as a person who signs in, at the address that they wanted to see. */
async function openAs(
  { email }: TestAccount,
  password: string,
  hash = "",
  options: BrowserContextOptions = {},
) {
  const opened = await openPage(browser, `${server.url}/${hash}`, options);
  await opened.page.getByLabel("Email").fill(email);
  await opened.page.getByLabel("Password").fill(password);
  await opened.page.keyboard.press("Enter");
  return opened;
}

async function mailedAddress(): Promise<string> {
  const found = () => /(\/sign-in\?reset=[\w-]{43})\r\n/.exec(mailText(mail.told))?.[1];
  await expect.poll(found, { timeout: 10_000 }).toBeDefined();
  return `${server.url}${found()}`;
}

const field = (page: Page) => page.locator("[data-part=composer-text]");

describe.skipIf(!hasBrowser())("several people in the web app", () => {
  beforeAll(async () => {
    buildWebApp();
    browser = await startBrowser();
    mail = await startMailServer();
    server = await startServer(folder.path, {
      TACKLE_AUTH: "required",
      TACKLE_SIGN_UP: "open",
      TACKLE_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      TACKLE_MAIL_FROM: "Tackle <tackle@example.com>",
      TACKLE_PUBLIC_URL: "https://chat.example.com",
    });
    ada = await signUp(server, "ada");
    bob = await signUp(server, "bob");
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    mail?.close();
    folder.remove();
  });

  it("lets somebody who has forgotten the password choose another one by the mailed link", async () => {
    const { page, context, problems } = await openPage(browser, `${server.url}/#/settings/account`, PHONE);
    await page.getByLabel("Email").fill(bob.email);
    await page.getByRole("button", { name: "Forgot it?" }).click();
    expect(await page.getByLabel("Email").inputValue()).toBe(bob.email);
    // The address is there already, so Enter is enough.
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Check your email" }).waitFor();
    await page.getByText(`If there’s an account for ${bob.email}`).waitFor();
    await expectAccessible(page);
    const address = await mailedAddress();
    await page.goto(address);
    await page.getByRole("heading", { name: "Choose a new password" }).waitFor();
    expect(page.url()).not.toContain("reset");
    await expectAccessible(page);
    await page.getByRole("textbox", { name: "New password" }).fill("another long one");
    await page.keyboard.press("Enter");
    await field(page).waitFor();
    await context.close();
    const again = await openPage(browser, address);
    await again.page.getByRole("textbox", { name: "New password" }).fill("a third long one");
    await again.page.keyboard.press("Enter");
    await again.page.getByRole("alert").waitFor();
    await again.page.getByRole("button", { name: "Back to sign-in" }).click();
    await again.page.getByRole("heading", { name: "Sign in to Tackle" }).waitFor();
    // What is wrong is said at its field.
    await again.page.getByRole("button", { name: "Create an account" }).click();
    await again.page.getByLabel("Email").fill(bob.email);
    await again.page.getByLabel("Password").fill("a third long one");
    await again.page.keyboard.press("Enter");
    await again.page.locator("#email + [role=alert]", { hasText: "already exists" }).waitFor();
    await again.context.close();
    const opened = await openAs(bob, "another long one");
    await field(opened.page).waitFor();
    await opened.context.close();
    expect(problems).toEqual([]);
  });

  it("lets a member use a shared project, and change it once they may", async () => {
    const { id } = await ask<{ id: string }>(server, "POST", "/projects", bearer(ada.token), {
      name: "Lisbon office",
      instructions: "Be brief.",
    });
    const owner = await openAs(ada, PASSWORD, `#/projects/${id}`);
    await owner.page.getByRole("button", { name: "Share project" }).click();
    await owner.page.getByLabel("Email of a person on this server").fill(bob.email);
    await owner.page.getByRole("button", { name: "Add", exact: true }).click();
    const access = owner.page.getByRole("combobox", { name: "What bob may do" });
    await access.getByText("Can use").waitFor();

    const { page, context, problems } = await openAs(bob, "another long one");
    await page.getByRole("button", { name: "Projects" }).click();
    await page.getByRole("link", { name: /Lisbon office.*Shared with you/ }).click();
    await page.getByText("Be brief.").waitFor();
    expect(await page.getByRole("button", { name: "Edit instructions" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Add files" }).count()).toBe(0);
    await page.getByRole("button", { name: "More: Lisbon office" }).click();
    expect(await page.getByRole("menuitem").allTextContents()).toEqual(["Leave project"]);
    await page.keyboard.press("Escape");

    await access.click();
    await owner.page.getByRole("option", { name: "Can change" }).click();
    await access.getByText("Can change").waitFor();
    // Nothing has to be loaded again.
    await page.getByRole("button", { name: "Edit instructions" }).click();
    await page.getByRole("textbox", { name: "Instructions" }).fill("Be thorough.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Be thorough.").waitFor();
    await page.locator(".project input[type=file]:not(.composer input)").setInputFiles({
      name: "desks.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("Forty desks are in the attic."),
    });
    await page.getByRole("link", { name: "desks.txt" }).waitFor();
    await expectAccessible(page);
    await say(page, "Where are the desks?");
    await answered(page);
    await owner.page.keyboard.press("Escape");
    await owner.page.getByText("Be thorough.").waitFor();
    await owner.page.getByRole("link", { name: "desks.txt" }).waitFor();
    // Everyone's chats stay their own.
    await owner.page.getByText("Chats that you start here, or move here, show up below.").waitFor();
    expect([...problems, ...owner.problems]).toEqual([]);
    await page.locator(".crumb").click();
    await page.getByText("Be thorough.").waitFor();
    await ask(server, "DELETE", `/projects/${id}`, bearer(ada.token));
    await page.getByRole("heading", { name: "This project isn’t here" }).waitFor();
    // Whoever is suspended is told so instead of an app in which nothing works.
    const suspend = (suspended: boolean) =>
      ask(server, "POST", `/admin/users/${bob.id}/suspend`, bearer(ada.token), { suspended });
    await suspend(true);
    await page.goto(server.url);
    await page.getByText("This account is suspended.").waitFor();
    await expectAccessible(page);
    await suspend(false);
    await context.close();
    await owner.context.close();
  });
});
