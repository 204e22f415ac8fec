import { afterEach, expect, test } from "vitest";
import { createSmtpSender } from "./smtp.ts";
import { type MailServerOptions, mailText, startMailServer } from "./testing/mail-server.ts";

let server: Awaited<ReturnType<typeof startMailServer>> | undefined;
afterEach(() => server?.close());

async function mailServer(options: MailServerOptions = {}) {
  server?.close();
  server = await startMailServer(options);
  return server;
}

const MAIL = { to: "bob@example.com", subject: "Grüße", text: "Hello\n.\nBob" };
const from = "Tackle <tackle@example.com>";
const sendTo = (port: number, mail = MAIL) =>
  createSmtpSender({ url: `smtp://127.0.0.1:${port}`, from, timeoutMs: 300 })(mail);

test("a mail arrives whole, whatever it contains", async () => {
  const { port, told } = await mailServer();
  await sendTo(port);
  expect(told).toContain("MAIL FROM:<tackle@example.com>");
  expect(told).toContain("RCPT TO:<bob@example.com>");
  expect(mailText(told)).toBe("Hello\r\n.\r\nBob");
  expect(told).toContain(`Subject: =?utf-8?B?${Buffer.from("Grüße").toString("base64")}?=`);
});

test.each(["PLAIN", "LOGIN"])("signs in with %s", async (way) => {
  const { port, told } = await mailServer({ offers: [`AUTH ${way}`] });
  await createSmtpSender({ url: `smtp://ada:pa%3Ass@127.0.0.1:${port}`, from })(MAIL);
  expect(told.filter((line) => line.startsWith("AUTH")).join()).toContain(way);
  expect(told).toContain("QUIT");
});

test.each([
  "bob@example.com>\r\nRCPT TO:<eve@example.com",
  "bob@example.com\r\nBcc: eve@example.com",
  "bob@example.com\nBcc:eve",
  "bob@example.com\0",
  "bob@example.com\u2028x",
])("no mail goes to an address such as %j", async (to) => {
  const { port, told } = await mailServer();
  await expect(sendTo(port, { ...MAIL, to })).rejects.toThrow("no address can have");
  expect(told).toEqual([]);
});

test("no subject and no name adds a header or another recipient", async () => {
  const { port, told } = await mailServer();
  const url = `smtp://127.0.0.1:${port}`;
  const name = "Tackle, Inc.\r\nBcc: eve@example.com\r\n";
  await createSmtpSender({ url, from: `${name} <tackle@example.com>` })({
    ...MAIL,
    subject: "Hi\r\nBcc: eve@example.com\r\n\r\nWords",
  });
  await createSmtpSender({ url, from: "Tackle, Inc. <tackle@example.com>" })(MAIL);
  expect(told.join("\n")).not.toContain("Bcc");
  expect(told).toContain('From: "Tackle, Inc." <tackle@example.com>');
  expect(mailText(told)).toBe("Hello\r\n.\r\nBob");
});

test("a refusal, silence and a flood end in an error", async () => {
  const refusing = await mailServer({ refuse: /^RCPT/, refusal: "550 5.1.1 <bob@example.com> is unknown" });
  await expect(sendTo(refusing.port)).rejects.toThrow(
    `The mail server 127.0.0.1:${refusing.port} refused the recipient (550 5.1.1 … is unknown).`,
  );
  const silent = await mailServer({ greets: "" });
  await expect(sendTo(silent.port)).rejects.toThrow("in time");
  const flood = await mailServer({ greets: "220-".padEnd(2_000_000, "x") });
  await expect(sendTo(flood.port)).rejects.toThrow("too much");
});

test("a server that makes strangers wait is told apart from one that refuses", async () => {
  const greylisting = await mailServer({ refuse: /^RCPT/, refusal: "451 4.7.1 Greylisted, come back later" });
  await expect(sendTo(greylisting.port)).rejects.toThrow(
    /does not take the mail for now \(451 4\.7\.1 Greylisted, come back later\).*asking again in a few minutes/,
  );
});

test("a refused sign-in names the setting and not the password", async () => {
  const attempt = Buffer.from("\0ada\0pa:ss").toString("base64");
  const options = { offers: ["AUTH PLAIN"], refuse: /^AUTH/, refusal: `535 5.7.8 not good: ${attempt}` };
  const { port, told } = await mailServer(options);
  const sent = createSmtpSender({ url: `smtp://ada:pa%3Ass@127.0.0.1:${port}`, from })(MAIL);
  await expect(sent).rejects.toThrow("refused the user or password in TACKLE_SMTP_URL (535 5.7.8).");
  await expect(sent).rejects.not.toThrow(attempt);
  expect(told.some((line) => line.startsWith("MAIL"))).toBe(false);
});

test("a sign-in that is demanded, or not offered, says so", async () => {
  const demanding = await mailServer({ refuse: /^MAIL/, refusal: "530 5.7.0 Authentication required" });
  await expect(sendTo(demanding.port)).rejects.toThrow("add user and password to TACKLE_SMTP_URL");
  const { port, told } = await mailServer({ offers: ["AUTH XOAUTH2"] });
  const sent = createSmtpSender({ url: `smtp://ada:pa%3Ass@127.0.0.1:${port}`, from })(MAIL);
  await expect(sent).rejects.toThrow("offers no sign-in by password");
  expect(told.some((line) => line.startsWith("AUTH"))).toBe(false);
});

test("nothing is sent without encryption where it is demanded", async () => {
  const { port, told } = await mailServer();
  const sent = createSmtpSender({ url: `smtp://127.0.0.1:${port}?tls=required`, from })(MAIL);
  await expect(sent).rejects.toThrow(
    /offers no encryption \(STARTTLS\), so nothing was sent\. Use smtps:\/\//,
  );
  expect(told).toEqual(["EHLO tackle"]);
});

test("a server that does not listen is named", async () => {
  const { port, close } = await mailServer();
  close();
  await expect(sendTo(port)).rejects.toThrow(`127.0.0.1:${port} cannot be reached (ECONNREFUSED)`);
});
