import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import type { Certificate } from "./certificate.ts";

export interface MailServerOptions {
  /** What it can do, such as `AUTH PLAIN`. */
  offers?: string[];
  /** The commands that it refuses. */
  refuse?: RegExp;
  /** How it refuses them. */
  refusal?: string;
  greets?: string;
  /** Encrypts the connection after `STARTTLS`, or from the start. */
  certificate?: Certificate;
  tls?: "starttls" | "from the start";
}

/** Starts a mail server that takes every mail. `told` are the lines it was sent. */
export async function startMailServer(options: MailServerOptions = {}) {
  const told: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined); // The client may leave at any time.
    const isEncrypted = options.tls === "from the start";
    const talking = isEncrypted ? encrypted(socket, options) : socket;
    talking.write(options.greets ?? "220 mail.test ready\r\n");
    talk(talking, told, options);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, told, close: () => void server.close() };
}

function encrypted(socket: Socket, { certificate = { key: "", cert: "" } }: MailServerOptions): TLSSocket {
  const upgraded = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) });
  upgraded.on("error", () => undefined); // The client may not trust the certificate.
  return upgraded;
}

function talk(socket: Socket, told: string[], options: MailServerOptions): void {
  let isData = false;
  let rest = "";
  const read = (chunk: Buffer) => {
    rest += chunk.toString();
    for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 2);
      told.push(line);
      if (isData && line !== ".") continue;
      isData = line === "DATA";
      socket.write(replyTo(line, options));
      if (line !== "STARTTLS" || options.refuse?.test(line)) continue;
      socket.off("data", read);
      talk(encrypted(socket, options), told, { ...options, tls: "from the start" });
    }
  };
  socket.on("data", read);
}

const encoded = (text: string) => Buffer.from(text).toString("base64");

function replyTo(line: string, { offers = [], refuse, refusal = "550 no", tls }: MailServerOptions): string {
  if (refuse?.test(line)) return `${refusal}\r\n`;
  const all = tls === "starttls" ? ["STARTTLS", ...offers] : offers;
  if (line.startsWith("EHLO"))
    return ["250-mail.test", ...all.map((one) => `250-${one}`), "250 OK", ""].join("\r\n");
  if (line === "STARTTLS") return "220 go on\r\n";
  if (line === "DATA") return "354 go on\r\n";
  if (line === "AUTH LOGIN" || line === encoded("ada")) return "334 ask\r\n";
  if (line.startsWith("AUTH") || line === encoded("pa:ss")) return "235 welcome\r\n";
  return line === "QUIT" ? "221 bye\r\n" : "250 OK\r\n";
}

/** Returns the text of the newest mail. */
export function mailText(told: readonly string[]): string {
  const end = told.lastIndexOf(".");
  const start = told.lastIndexOf("", end);
  return Buffer.from(told.slice(start + 1, end).join(""), "base64").toString();
}
