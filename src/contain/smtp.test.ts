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

test("an address cannot smuggle in another command", async () => {
  const { port, told } = await mailServer();
  await sendTo(port, { ...MAIL, to: "bob@example.com>\r\nRCPT TO:<eve@example.com" });
  expect(told.filter((line) => line.startsWith("RCPT"))).toHaveLength(1);
});

test("a refusal, silence and a flood end in an error", async () => {
  const refusing = await mailServer({ refuse: /^RCPT/ });
  await expect(sendTo(refusing.port)).rejects.toThrow("answered 550");
  const silent = await mailServer({ greets: "" });
  await expect(sendTo(silent.port)).rejects.toThrow("in time");
  const flood = await mailServer({ greets: "220-".padEnd(2_000_000, "x") });
  await expect(sendTo(flood.port)).rejects.toThrow("too much");
});
