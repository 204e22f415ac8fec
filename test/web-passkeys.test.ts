import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { ask, bearer, call, PASSWORD, signUp, type TestAccount } from "./support/accounts.ts";
import { buildWebApp, expectAccessible, openPage } from "./support/browser.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const PATIENT = { timeout: 20_000 };
const folder = temporaryFolder();
let server: ServerProcess;
let owner: TestAccount;
let browser: Browser;
/** Browsers allow passkeys for names only. */
let site: string;

/** Plugs an authenticator into the page's browser that answers every question with yes. */
async function plugIn(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel("Email").fill(owner.email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Message" }).waitFor();
}

async function openAccount(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("link", { name: "Account" }).click();
  await page.getByRole("heading", { name: "Passkeys" }).waitFor();
}

const leave = (page: Page) => page.getByRole("button", { name: "Sign out" }).first().click();

const signOut = async (page: Page) => {
  await leave(page);
  await page.getByLabel("Email").waitFor();
};

const passkeys = () =>
  ask<{ passkeys: { id: string; name: string; lastUsedAt?: string }[] }>(
    server,
    "GET",
    "/me/passkeys",
    bearer(owner.token),
  );

describe.skipIf(!hasBrowser())("passkeys", () => {
  beforeAll(async () => {
    buildWebApp();
    browser = await startBrowser();
    server = await startServer(folder.path, { TACKLE_AUTH: "required" });
    site = server.url.replace("127.0.0.1", "localhost");
    owner = await signUp(server, "owner");
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    folder.remove();
  });

  it("are added, named, used by a button and from the field for the address, and removed", async () => {
    const { page, context, problems } = await openPage(browser, site);
    const { cdp, authenticatorId } = await plugIn(page);
    // Nobody has a passkey, so none is asked for.
    await page.getByLabel("Email").waitFor();
    expect(await page.getByRole("button", { name: "Sign in with a passkey" }).count()).toBe(0);
    await signIn(page);
    await openAccount(page);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    const name = page.getByRole("textbox", { name: "Name of the passkey" });
    await name.waitFor();
    await name.fill("My laptop");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await passkeys()).passkeys[0]?.name, PATIENT).toBe("My laptop");
    await expectAccessible(page);
    // The device that has one gets no second.
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("This device already has a passkey for your account.").waitFor();
    expect(await name.count()).toBe(1);

    // The browser offers it in the field: the authenticator takes the offer at once, so the field may never be seen.
    await leave(page);
    await expect.poll(async () => (await passkeys()).passkeys[0]?.lastUsedAt, PATIENT).toBeDefined();
    await page.getByRole("textbox", { name: "Message" }).waitFor();

    // The button, while the person says no to offers.
    await openAccount(page);
    const silent = { authenticatorId, enabled: false };
    await cdp.send("WebAuthn.setAutomaticPresenceSimulation", silent);
    await signOut(page);
    await expectAccessible(page);
    const button = page.getByRole("button", { name: "Sign in with a passkey" });
    await cdp.send("WebAuthn.setAutomaticPresenceSimulation", { ...silent, enabled: true });
    await button.click();
    await page.getByRole("textbox", { name: "Message" }).waitFor();

    await openAccount(page);
    await cdp.send("WebAuthn.setAutomaticPresenceSimulation", silent);
    await page.getByRole("button", { name: "Remove My laptop" }).click();
    await expect.poll(async () => (await passkeys()).passkeys, PATIENT).toEqual([]);
    await signOut(page);
    expect(await button.count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("are added by somebody who signed in a while ago only with the password", async () => {
    const { page, context } = await openPage(browser, site);
    const { cdp, authenticatorId } = await plugIn(page);
    await signIn(page);
    const database = new DatabaseSync(join(folder.path, "tackle.db"));
    const newest = "(SELECT id FROM auth_sessions ORDER BY createdAt DESC LIMIT 1)";
    database.exec(`UPDATE auth_sessions SET createdAt = '2026-01-01T00:00:00.000Z' WHERE id = ${newest}`);
    database.close();
    await openAccount(page);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    const password = page.getByLabel("Your password, to confirm that it’s you");
    await password.fill("a wrong one");
    await page.keyboard.press("Enter");
    await page.getByText("The password is wrong").waitFor();
    expect((await passkeys()).passkeys).toEqual([]);
    await password.fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Name of the passkey" }).waitFor();
    const [added] = (await passkeys()).passkeys;
    await ask(server, "DELETE", `/me/passkeys/${added?.id}`, bearer(owner.token));
    await cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
    await context.close();
  });

  it("cannot be added with an API key, which can be revoked", async () => {
    const { key } = await ask<{ key: string }>(server, "POST", "/me/keys", bearer(owner.token));
    const asked = (token: string) => call({ url: site }, "POST", "/me/passkeys/options", bearer(token));
    expect((await asked(key)).status).toBe(403);
    expect((await asked(owner.token)).status).toBe(200);
  });

  it("do not work once removed, with a used or forged challenge, or for another site", async () => {
    const { page, context } = await openPage(browser, site);
    const { cdp, authenticatorId } = await plugIn(page);
    await signIn(page);
    await openAccount(page);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("textbox", { name: "Name of the passkey" }).waitFor();
    /** Signs a challenge in the browser, and returns what it would send. */
    const assert = (challenge?: string) =>
      page.evaluate(async (given) => {
        const options = await (await fetch("/auth/passkey/options", { method: "POST" })).json();
        if (given !== undefined) options.challenge = given;
        const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
        const found = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
        return { sent: found.toJSON(), challenge: options.challenge as string };
      }, challenge);
    const send = async (body: unknown, to = site) =>
      (await call({ url: to }, "POST", "/auth/passkey", {}, body)).status;

    const first = await assert();
    expect(await send(first.sent)).toBe(200);
    expect(await send(first.sent)).toBe(401);
    expect(await send((await assert(first.challenge)).sent)).toBe(401);
    const forged = Buffer.from("abc-def.ghi").toString("base64url");
    expect(await send((await assert(forged)).sent)).toBe(401);
    const changed = structuredClone((await assert()).sent) as { response: { signature: string } };
    changed.response.signature = changed.response.signature.replace(/^.{8}/, "MEUCIQDA");
    expect(await send(changed)).toBe(401);
    // The numeric address is another site, which can have no passkeys.
    expect(await send((await assert()).sent, server.url)).toBe(404);

    const { entries } = await ask<{ entries: { action: string; subject: object }[] }>(
      server,
      "GET",
      "/admin/audit?limit=200",
      bearer(owner.token),
    );
    const actions = entries.map(({ action }) => action);
    for (const action of ["auth.passkey_added", "auth.passkey_removed", "auth.failed"])
      expect(actions).toContain(action);
    expect(entries.some(({ subject }) => "by" in subject && subject.by === "passkey")).toBe(true);

    const last = (await assert()).sent;
    const [passkey] = (await passkeys()).passkeys;
    await ask(server, "DELETE", `/me/passkeys/${passkey?.id}`, bearer(owner.token));
    expect(await send(last)).toBe(401);
    await cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
    await context.close();
  });

  it("of a suspended person let nobody in, and go with the account", async () => {
    const body = { email: "bob@example.com", password: PASSWORD };
    const bob = await ask<{ id: string }>(server, "POST", "/admin/users", bearer(owner.token), body);
    const { page, context } = await openPage(browser, site);
    await plugIn(page);
    await page.getByLabel("Email").fill(body.email);
    await page.getByLabel("Password").fill(body.password);
    await page.keyboard.press("Enter");
    await openAccount(page);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("textbox", { name: "Name of the passkey" }).waitFor();
    expect(await ask({ url: site }, "GET", "/auth/options")).toMatchObject({ passkeys: true });
    await ask(server, "POST", `/admin/users/${bob.id}/suspend`, bearer(owner.token), { suspended: true });
    await page.goto(`${site}/sign-in`);
    await page.getByText("This account is suspended. Ask the administrator.").waitFor();
    await ask(server, "DELETE", `/admin/users/${bob.id}`, bearer(owner.token));
    expect(await ask({ url: site }, "GET", "/auth/options")).toMatchObject({ passkeys: false });
    await page.reload();
    await page.getByLabel("Email").waitFor();
    expect(await page.getByRole("button", { name: "Sign in with a passkey" }).count()).toBe(0);
    await context.close();
  });
});
