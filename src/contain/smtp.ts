import { randomUUID } from "node:crypto";
import { connect as connectPlain, type Socket } from "node:net";
import { createInterface, type Interface } from "node:readline";
import { connect as connectTls } from "node:tls";

export interface SmtpSettings {
  /** `smtps://user:password@host:465`, or `smtp://…:587`, which is encrypted if the server can. */
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

/** Returns a function that hands a mail to the mail server. It throws if the server does not take it. */
export function createSmtpSender({ url, from, timeoutMs = TIMEOUT_MS }: SmtpSettings) {
  const address = new URL(url);
  return async (mail: Mail): Promise<void> => {
    const session = await openSession(address, AbortSignal.timeout(timeoutMs));
    try {
      await session.say(`MAIL FROM:<${addressIn(from)}>`, 250);
      await session.say(`RCPT TO:<${addressIn(mail.to)}>`, 250, 251);
      await session.say("DATA", 354);
      await session.say(`${messageOf(from, mail)}\r\n.`, 250);
      await session.say("QUIT", 221).catch(() => undefined); // It was taken already.
    } finally {
      session.close();
    }
  };
}

/** Connects, encrypts if it can, and signs in. */
async function openSession({ protocol, hostname, port, username, password }: URL, signal: AbortSignal) {
  const host = hostname.replace(/^\[|\]$/g, "");
  const isEncrypted = protocol === "smtps:";
  const to = { host, port: Number(port) || (isEncrypted ? 465 : 587) };
  let wire = openWire(
    isEncrypted ? connectTls({ ...to, servername: nameOf(host) }) : connectPlain(to),
    signal,
  );
  try {
    await wire.expect(220);
    let abilities = await wire.say("EHLO tackle", 250);
    let safe = isEncrypted;
    if (!safe && abilities.some((line) => /^STARTTLS$/i.test(line))) {
      await wire.say("STARTTLS", 220);
      wire = openWire(connectTls({ socket: wire.release(), servername: nameOf(host) }), signal);
      abilities = await wire.say("EHLO tackle", 250);
      safe = true;
    }
    if (username !== "") {
      if (!safe && !/^(?:127\.|::1$|localhost$)/.test(host))
        throw new Error("the mail server offers no encryption, so the password was not sent");
      await signIn(wire, abilities, decodeURIComponent(username), decodeURIComponent(password));
    }
    return wire;
  } catch (thrown) {
    wire.close();
    throw thrown;
  }
}

async function signIn(wire: Wire, abilities: string[], user: string, password: string): Promise<void> {
  const encode = (text: string) => Buffer.from(text).toString("base64");
  const ways = abilities.find((line) => /^AUTH[ =]/i.test(line))?.toUpperCase() ?? "";
  if (ways.includes("PLAIN") || !ways.includes("LOGIN")) {
    await wire.say(`AUTH PLAIN ${encode(`\0${user}\0${password}`)}`, 235);
    return;
  }
  await wire.say("AUTH LOGIN", 334);
  await wire.say(encode(user), 334);
  await wire.say(encode(password), 235);
}

type Wire = ReturnType<typeof openWire>;

/** Sends lines and reads replies, one at a time. */
function openWire(socket: Socket, signal: AbortSignal) {
  const lines: Interface = createInterface({ input: socket });
  const waiting = lines[Symbol.asyncIterator]();
  let failed: Error | undefined;
  socket.on("error", (error) => {
    failed = error;
    lines.close();
  });
  const abort = () => socket.destroy(new Error("the mail server did not answer in time"));
  signal.addEventListener("abort", abort, { once: true });
  const bound = () => {
    if (socket.bytesRead > MAX_BYTES) socket.destroy(new Error("the mail server sends too much"));
  };
  socket.on("data", bound);

  /** Returns what follows the code in each line of a reply. */
  async function expect(...codes: number[]): Promise<string[]> {
    const reply: string[] = [];
    for (let count = 0; count < MAX_REPLY_LINES; count++) {
      const { value, done } = await waiting.next();
      if (done) throw failed ?? new Error("the mail server closed the connection");
      const [, code, more, text = ""] = /^(\d{3})([ -]?)(.*)$/.exec(value.slice(0, MAX_LINE)) ?? [];
      reply.push(text);
      if (more === "-") continue;
      if (codes.includes(Number(code))) return reply;
      throw new Error(`the mail server answered ${code ?? "nothing that can be read"}`);
    }
    throw new Error("the mail server's reply is too long");
  }

  return {
    expect,
    async say(text: string, ...codes: number[]): Promise<string[]> {
      socket.write(`${text}\r\n`);
      return expect(...codes);
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

/** An address by number has no name to check. */
function nameOf(host: string): string {
  return /^[\d.]+$|:/.test(host) ? "" : host;
}

/** Returns the bare address, without anything that could end a line or begin another command. */
function addressIn(text: string): string {
  return (/<([^>]*)>/.exec(text)?.[1] ?? text).replace(/[\s<>]/g, "");
}

function messageOf(from: string, { to, subject, text }: Mail): string {
  const name = /^([^<]*)</.exec(from)?.[1]?.trim().replaceAll('"', "") ?? "";
  const sender = name === "" ? addressIn(from) : `${encodedWord(name)} <${addressIn(from)}>`;
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

function encodedWord(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;
}
