import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasOpenssl, makeCertificate } from "../src/contain/testing/certificate.ts";
import { type MailServerOptions, mailText, startMailServer } from "../src/contain/testing/mail-server.ts";
import {
  ask,
  bearer,
  type Credentials,
  call,
  PASSWORD,
  signUp,
  type TestAccount,
} from "./support/accounts.ts";
import { type ServerProcess, startOwnServer, temporaryFolder } from "./support/server.ts";

const folder = temporaryFolder();
const mailOptions: MailServerOptions = {};
let mail: Awaited<ReturnType<typeof startMailServer>>;
let server: ServerProcess;
let ada: TestAccount;

/** The mail server encrypts with its own certificate, which the server is told to trust. */
function encryptMail(): Record<string, string> {
  const certificate = makeCertificate("IP:127.0.0.1");
  Object.assign(mailOptions, { tls: "starttls", certificate });
  const path = join(folder.path, "mail-authority.pem");
  writeFileSync(path, certificate.cert);
  return { NODE_EXTRA_CA_CERTS: path };
}

if (!hasOpenssl && !process.env.CI)
  console.log("Mails are sent without encryption here: openssl is missing.");

beforeAll(async () => {
  const trust = hasOpenssl || process.env.CI ? encryptMail() : {};
  mail = await startMailServer(mailOptions);
  // Node reads which authorities to trust when a process starts.
  server = await startOwnServer(folder.path, {
    TACKLE_AUTH: "required",
    TACKLE_SIGN_UP: "open",
    TACKLE_TRUST_PROXY: "1",
    TACKLE_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    TACKLE_MAIL_FROM: "Tackle <tackle@example.com>",
    TACKLE_PUBLIC_URL: "https://chat.example.com",
    ...trust,
  });
  ada = await signUp(server, "ada");
});
afterAll(async () => {
  await server?.stop();
  mail?.close();
  folder.remove();
});

async function mailedToken(email: string, from: Credentials = {}): Promise<string> {
  const before = mail.told.length;
  expect((await call(server, "POST", "/auth/forgot-password", from, { email })).status).toBe(204);
  await expect.poll(() => mail.told.slice(before).includes("."), { timeout: 10_000 }).toBe(true);
  return /https:\/\/chat\.example\.com\/sign-in\?reset=([\w-]{43})\r\n/.exec(mailText(mail.told))?.[1] ?? "";
}

const reset = (token: string, password: string, from: Credentials = {}) =>
  call(server, "POST", "/auth/reset-password", from, { token, password });

describe("a forgotten password", () => {
  it("is reset once with the newest mailed link, which ends all other sessions", async () => {
    expect(await ask(server, "GET", "/auth/options")).toMatchObject({ passwordReset: true, signUp: true });
    const older = await mailedToken(ada.email);
    if (mailOptions.tls) expect(mail.told).toContain("STARTTLS");
    const token = await mailedToken(ada.email);
    expect((await reset(older, "another horse battery")).status).toBe(403);
    expect((await reset(token, "short")).status).toBe(400);
    const [one, two] = await Promise.all([reset(token, "another horse"), reset(token, "another horse")]);
    expect([one.status, two.status].sort()).toEqual([200, 403]);
    expect((await call(server, "GET", "/me", bearer(ada.token))).status).toBe(401);
    const signIn = (password: string) =>
      call(server, "POST", "/auth/sign-in", {}, { email: ada.email, password });
    expect((await signIn(PASSWORD)).status).toBe(401);
    expect((await signIn("another horse")).status).toBe(200);
    expect((await reset(token, "another horse")).status).toBe(403);
  });

  it("leaves only a hash in the database, and words in the audit log", async () => {
    const token = await mailedToken(ada.email);
    const database = new DatabaseSync(join(folder.path, "tackle.db"), { readOnly: true });
    const rows = JSON.stringify(database.prepare("SELECT * FROM auth_verifications").all());
    database.prepare("SELECT 1").get();
    database.close();
    expect(rows).toContain("reset ");
    expect(rows).not.toContain(token);
    const { token: admin } = (await (await reset(token, "a third horse")).json()) as { token: string };
    const log = JSON.stringify(await ask(server, "GET", "/admin/audit", bearer(admin)));
    expect(log).toContain("auth.reset_asked");
    expect(log).toContain("auth.password_reset");
    expect(log).not.toContain(token);
  });

  it("leaves nothing to a stranger who made the account in advance, with somebody else's address", async () => {
    const stranger = await signUp(server, "grace");
    const session = bearer(stranger.token);
    const { key } = await ask<{ key: string }>(server, "POST", "/me/keys", session, {});
    await ask(server, "PUT", "/me/settings", session, { keys: { zai: "zk-of-the-stranger" } });
    await ask(server, "POST", "/me/push", session, {
      endpoint: "https://push.example/stranger",
      keys: {
        p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth: "BTBZMqHH6r4Tts7J_aSIgg",
      },
    });
    expect((await call(server, "GET", "/me", bearer(key))).status).toBe(200);
    const elsewhere = { "x-forwarded-for": "192.0.2.7" };
    const link = await mailedToken(stranger.email, elsewhere);
    const owner = await reset(link, "the owner's horse", elsewhere);
    expect(owner.status).toBe(200);
    const { token } = (await owner.json()) as { token: string };
    for (const lost of [key, stranger.token])
      expect((await call(server, "GET", "/me", bearer(lost))).status).toBe(401);
    const mine = bearer(token);
    expect(await ask(server, "GET", "/me/settings", mine)).toMatchObject({ keys: {} });
    expect(await ask(server, "GET", "/me/push", mine)).toMatchObject({ subscriptions: [] });
    // From now on the address is known to be theirs, and what they make stays.
    const own = await ask<{ key: string }>(server, "POST", "/me/keys", mine, {});
    const newer = await mailedToken(stranger.email, elsewhere);
    expect((await reset(newer, "a newer horse", elsewhere)).status).toBe(200);
    expect((await call(server, "GET", "/me", bearer(own.key))).status).toBe(200);
  });

  it("answers a stranger the same for an unknown address, and sends nothing", async () => {
    const before = mail.told.length;
    const answers = await Promise.all(
      ["nobody@example.com", "eve@example.com"].map((email) =>
        call(server, "POST", "/auth/forgot-password", {}, { email }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect(mail.told).toHaveLength(before);
  });

  it("does not fill a mailbox, and stops a flood of requests", async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 12; count++)
      statuses.push((await call(server, "POST", "/auth/forgot-password", {}, { email: ada.email })).status);
    expect(statuses).toContain(429);
    expect(mail.told.filter((line) => line.startsWith("RCPT TO:<ada@")).length).toBeLessThanOrEqual(3);
  });
});
