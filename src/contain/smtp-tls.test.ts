import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createSmtpSender } from "./smtp.ts";
import { type Certificate, hasOpenssl, makeCertificate } from "./testing/certificate.ts";
import { type MailServerOptions, mailText, startMailServer } from "./testing/mail-server.ts";

const MAIL = { to: "bob@example.com", subject: "Hello", text: "Hello Bob" };
const KINDS = [
  { tls: "starttls", scheme: "smtp" },
  { tls: "from the start", scheme: "smtps" },
] as const;
const WITH_NOTHING_SENT = [[], ["EHLO tackle", "STARTTLS"]];

if (!hasOpenssl && !process.env.CI) console.log("Encrypted mail is not tested: openssl is missing.");

describe.skipIf(!hasOpenssl && !process.env.CI)("encrypted mail", () => {
  const usual = getCACertificates("default");
  let trusted: Certificate;
  let server: Awaited<ReturnType<typeof startMailServer>> | undefined;
  beforeAll(() => {
    trusted = makeCertificate("IP:127.0.0.1");
    setDefaultCACertificates([...usual, trusted.cert]);
  });
  afterAll(() => setDefaultCACertificates(usual));
  afterEach(() => server?.close());

  async function send(scheme: string, options: MailServerOptions, user = "") {
    server = await startMailServer(options);
    const url = `${scheme}://${user}127.0.0.1:${server.port}?tls=required`;
    const sent = createSmtpSender({ url, from: "tackle@example.com", timeoutMs: 5_000 })(MAIL);
    sent.catch(() => undefined); // Tests look at it later.
    return { sent, told: server.told };
  }

  test.each(KINDS)("arrives with TLS by $tls, and the password is sent after it", async ({ tls, scheme }) => {
    const options: MailServerOptions = { tls, certificate: trusted, offers: ["AUTH PLAIN"] };
    const { sent, told } = await send(scheme, options, "ada:pa%3Ass@");
    await sent;
    expect(mailText(told)).toBe("Hello Bob");
    const start = tls === "starttls" ? ["EHLO tackle", "STARTTLS", "EHLO tackle"] : ["EHLO tackle"];
    expect(told.slice(0, start.length)).toEqual(start);
    expect(told[start.length]).toMatch(/^AUTH PLAIN /);
  });

  test.each(KINDS)("is not sent to a certificate that nobody vouches for ($tls)", async ({ tls, scheme }) => {
    const { sent, told } = await send(scheme, { tls, certificate: makeCertificate("IP:127.0.0.1") });
    await expect(sent).rejects.toThrow(/certificate of an unknown authority \(\w+\).*NODE_EXTRA_CA_CERTS/);
    expect(WITH_NOTHING_SENT).toContainEqual(told);
  });

  test.each(KINDS)("is not sent to a certificate for another name ($tls)", async ({ tls, scheme }) => {
    const other = makeCertificate("DNS:localhost,DNS:mail.example.com");
    setDefaultCACertificates([...usual, trusted.cert, other.cert]);
    const { sent, told } = await send(scheme, { tls, certificate: other });
    await expect(sent).rejects.toThrow(
      /certificate for another name \(DNS:localhost, DNS:mail\.example\.com\)/,
    );
    expect(WITH_NOTHING_SENT).toContainEqual(told);
  });

  test("a refused STARTTLS sends nothing", async () => {
    const options: MailServerOptions = { tls: "starttls", refuse: /^STARTTLS/, refusal: "502 5.5.1 not now" };
    const { sent, told } = await send("smtp", options);
    await expect(sent).rejects.toThrow("refused to encrypt the connection (502 5.5.1 not now)");
    expect(WITH_NOTHING_SENT).toContainEqual(told);
  });

  test("a port without TLS is told apart from one that cannot be reached", async () => {
    const { sent } = await send("smtps", {});
    await expect(sent).rejects.toThrow("does not speak TLS on this port. Use smtp://");
  });
});
