import { randomUUID } from "node:crypto";
import { connect as connectPlain, isIP, isIPv4, type Socket } from "node:net";
import { createInterface, type Interface } from "node:readline";
import { connect as connectTls } from "node:tls";
import { connectionFailure, refusal, type SmtpStep } from "./smtp-failures.ts";

export interface SmtpSettings {
  /**
   * `smtps://user:password@host:465`, or `smtp://…:587`, which demands STARTTLS unless the server is on this machine.
   * `?tls=required` demands it there too, and `?tls=optional` nowhere.
   */
  url: string;
  /** `name@example.com` or `Name <name@example.com>`. */
  from: string;
  timeoutMs?: number;
}

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

const TIMEOUT_MS = 20_000;
const MAX_REPLY_LINES = 100;
const MAX_LINE = 2_000;
const MAX_BYTES = 100_000;
const TOO_SLOW =
  "did not answer in time: check the host and port in TACKLE_SMTP_URL, and the firewall. Port 465 needs smtps://.";

/** Returns a function that hands a mail to the mail server. It throws if the server does not take it. */
export function createSmtpSender({ url, from, timeoutMs = TIMEOUT_MS }: SmtpSettings) {
  const server = new URL(url);
  return async (mail: Mail): Promise<void> => {
    const [sender, recipient] = [addressIn(from), addressIn(mail.to)];
    const session = await openSession(server, AbortSignal.timeout(timeoutMs));
    try {
      await session.say("sender", `MAIL FROM:<${sender}>`, 250);
      await session.say("recipient", `RCPT TO:<${recipient}>`, 250, 251);
      await session.say("message", "DATA", 354);
      await session.say("message", `${messageOf(from, mail)}\r\n.`, 250);
      await session.say("ending", "QUIT", 221).catch(() => undefined); // It was taken already.
    } finally {
      session.close();
    }
  };
}

/** Connects, encrypts and signs in. */
async function openSession(
  { protocol, hostname, port, username, password, searchParams }: URL,
  signal: AbortSignal,
) {
  const host = hostname.replace(/^\[|\]$/g, "");
  const fromStart = protocol === "smtps:";
  const to = { host, port: Number(port) || (fromStart ? 465 : 587) };
  const where = `${hostname}:${to.port}`;
  // An address by number has no name to ask for. The certificate is checked against `host` then.
  const named = { host, servername: isIP(host) ? "" : host };
  let wire = openWire(where, fromStart ? connectTls({ ...to, ...named }) : connectPlain(to), signal);
  try {
    await wire.expect("greeting", 220);
    let abilities = await wire.say("greeting", "EHLO tackle", 250);
    const canEncrypt = abilities.some((line) => /^STARTTLS\s*$/i.test(line));
    if (!fromStart && canEncrypt) {
      await wire.say("encryption", "STARTTLS", 220);
      wire = openWire(where, connectTls({ socket: wire.release(), ...named }), signal);
      abilities = await wire.say("greeting", "EHLO tackle", 250);
    }
    if (!fromStart && !canEncrypt) checkPlain(where, host, searchParams.get("tls"), username !== "");
    if (username !== "")
      await signIn(wire, where, abilities, decodeURIComponent(username), decodeURIComponent(password));
    return wire;
  } catch (thrown) {
    wire.close();
    throw thrown;
  }
}

/** Throws if nothing may be sent without encryption: whoever reads the mail on its way can use the links in it. */
function checkPlain(where: string, host: string, tls: string | null, withPassword: boolean): void {
  const isHere = host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
  if (isHere && tls !== "required") return;
  const missing = `The mail server ${where} offers no encryption (STARTTLS), so nothing was sent. Use smtps:// in TACKLE_SMTP_URL if it has a port for TLS`;
  if (tls !== "optional")
    throw new Error(`${missing}, or add ?tls=optional if you trust the network in between.`);
  if (withPassword)
    throw new Error(`${missing}. A password is never sent to another machine without encryption.`);
}

async function signIn(
  wire: Wire,
  where: string,
  abilities: string[],
  user: string,
  password: string,
): Promise<void> {
  const encode = (text: string) => Buffer.from(text).toString("base64");
  const methods = abilities
    .filter((line) => /^AUTH[ =]/i.test(line))
    .flatMap((line) => line.toUpperCase().split(/[ =]/));
  if (methods.includes("PLAIN")) {
    await wire.say("sign-in", `AUTH PLAIN ${encode(`\0${user}\0${password}`)}`, 235);
    return;
  }
  if (!methods.includes("LOGIN"))
    throw new Error(
      `The mail server ${where} offers no sign-in by password (PLAIN or LOGIN). Remove user and password from TACKLE_SMTP_URL, or use its port for sending, often 587.`,
    );
  await wire.say("sign-in", "AUTH LOGIN", 334);
  await wire.say("sign-in", encode(user), 334);
  await wire.say("sign-in", encode(password), 235);
}

type Wire = ReturnType<typeof openWire>;

/** Sends lines and reads replies, one at a time. */
function openWire(where: string, socket: Socket, signal: AbortSignal) {
  const lines: Interface = createInterface({ input: socket });
  const waiting = lines[Symbol.asyncIterator]();
  let failed: Error | undefined;
  socket.on("error", (error) => {
    failed = error;
    lines.close();
  });
  const abort = () => socket.destroy(new Error(TOO_SLOW));
  signal.addEventListener("abort", abort, { once: true });
  const bound = () => {
    if (socket.bytesRead > MAX_BYTES) socket.destroy(new Error("sends too much."));
  };
  socket.on("data", bound);

  /** Returns what follows the code in each line of a reply. */
  async function expect(step: SmtpStep, ...codes: number[]): Promise<string[]> {
    const reply: string[] = [];
    for (let count = 0; count < MAX_REPLY_LINES; count++) {
      const { value, done } = await waiting.next().catch((error: Error) => {
        throw connectionFailure(where, error);
      });
      if (done) throw connectionFailure(where, failed);
      const [, code, more, text = ""] = /^(\d{3})([ -]?)(.*)$/.exec(value.slice(0, MAX_LINE)) ?? [];
      reply.push(text);
      if (more === "-") continue;
      if (codes.includes(Number(code))) return reply;
      throw refusal(where, step, code, reply.join(" "));
    }
    throw connectionFailure(where, new Error("sends too much."));
  }

  return {
    expect,
    async say(step: SmtpStep, text: string, ...codes: number[]): Promise<string[]> {
      socket.write(`${text}\r\n`);
      return expect(step, ...codes);
    },
    /** Hands the socket over to what encrypts it. */
    release(): Socket {
      lines.close();
      socket.off("data", bound);
      signal.removeEventListener("abort", abort);
      return socket;
    },
    close(): void {
      signal.removeEventListener("abort", abort);
      socket.destroy();
    },
  };
}

/** Returns the bare address. Throws if it has anything in it that could end a line or begin another command. */
function addressIn(text: string): string {
  const address = /^[^<>]*<([^<>]*)>$/.exec(text)?.[1] ?? text;
  if (/^[^\s\p{Cc}<>@]+@[^\s\p{Cc}<>@]+$/u.test(address)) return address;
  throw new Error("An address has characters in it that no address can have, so no mail was sent to it.");
}

function messageOf(from: string, { to, subject, text }: Mail): string {
  const name = /^([^<]*)</.exec(from)?.[1]?.trim().replace(/["\\]/g, "") ?? "";
  const shown = isPlain(name) ? `"${name}"` : encodedWord(name);
  const sender = name === "" ? addressIn(from) : `${shown} <${addressIn(from)}>`;
  return [
    `From: ${sender}`,
    `To: ${addressIn(to)}`,
    `Subject: ${encodedWord(subject)}`,
    `Date: ${new Date().toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${randomUUID()}@${addressIn(from).split("@")[1] ?? "tackle"}>`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: base64",
    "Auto-Submitted: auto-generated",
    "",
    ...(Buffer.from(text.replace(/\r?\n/g, "\r\n"))
      .toString("base64")
      .match(/.{1,76}/g) ?? []),
  ].join("\r\n");
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Line breaks are encoded too, so no text can add a header. */
function encodedWord(text: string): string {
  if (isPlain(text)) return text;
  return `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;
}
