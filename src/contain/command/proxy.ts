import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { connect, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { checkedAddresses, type Resolve } from "../fetch-connect.ts";
import { allowedBy, canonicalHost, type HostRule } from "./hosts.ts";

const CONNECT_MS = 15_000;
const MAX_HEADER_BYTES = 32_768;
/** Headers that concern one connection only. */
const HOP_BY_HOP =
  "connection proxy-connection keep-alive proxy-authorization proxy-authenticate te trailer transfer-encoding upgrade host".split(
    " ",
  );

export interface ProxyOptions {
  hosts: readonly HostRule[];
  /** Called with `host:port` of everything that was refused. */
  onDenied(target: string): void;
  resolve?: Resolve;
}

/** Why a request was refused, for the program that made it. */
class Refusal extends Error {
  readonly status: 400 | 403 | 502;
  constructor(status: 400 | 403 | 502, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

/**
 * A proxy that only reaches the allowed hosts, by HTTP and by CONNECT. It resolves names itself and connects to the address
 * that it has checked. It never looks into encrypted traffic.
 */
export function createHostProxy(options: ProxyOptions): Server {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, insecureHTTPParser: false });
  server.on("request", (incoming, outgoing) => {
    forward(options, incoming, outgoing).catch((thrown: unknown) => refuseRequest(outgoing, thrown));
  });
  server.on("connect", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    tunnel(options, incoming.url ?? "", socket, head).catch((thrown: unknown) =>
      refuseTunnel(socket, thrown),
    );
  });
  server.on("upgrade", (_, socket: Duplex) => socket.destroy());
  server.on("clientError", (_, socket: Duplex) =>
    refuseTunnel(socket, new Refusal(400, "That is not HTTP.")),
  );
  return server;
}

/** Opens a connection to a host if it is allowed. */
async function open({ hosts, onDenied, resolve }: ProxyOptions, name: string, port: number): Promise<Socket> {
  const hostname = canonicalHost(name);
  if (hostname === undefined) throw new Refusal(400, "The host is not valid.");
  const shown = `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`;
  const allowed = allowedBy(hosts, hostname, port);
  if (!allowed) {
    onDenied(shown);
    throw new Refusal(403, `Commands may not reach ${shown}. It is not in TACKLE_SANDBOX_HOSTS.`);
  }
  const target = { url: new URL("http://unused/"), hostname, port, allowed: allowed.private };
  const addresses = await checkedAddresses(target, resolve).catch((thrown: unknown) => {
    if ((thrown as NodeJS.ErrnoException).code === "INVALID_INPUT") {
      onDenied(shown);
      throw new Refusal(
        403,
        `${shown} has a private address. To allow it, name ${shown} in TACKLE_SANDBOX_HOSTS.`,
      );
    }
    throw new Refusal(502, `${hostname} could not be resolved.`);
  });
  for (const address of addresses) {
    const socket = await connectTo(address, port);
    if (socket) return socket;
  }
  throw new Refusal(502, `${shown} does not answer.`);
}

function connectTo(address: string, port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const timer = setTimeout(() => socket.destroy(), CONNECT_MS);
    socket.once("close", () => resolve(undefined));
    socket.on("error", () => {}); // `close` follows.
    socket.once("connect", () => {
      clearTimeout(timer);
      resolve(socket);
    });
  });
}

async function tunnel(options: ProxyOptions, authority: string, socket: Duplex, head: Buffer): Promise<void> {
  socket.on("error", () => socket.destroy());
  const [, host = "", port = ""] = /^(\[[\da-fA-F:.]+\]|[^:@/\s]+):(\d{1,5})$/.exec(authority) ?? [];
  if (host === "") throw new Refusal(400, "CONNECT needs a host and a port.");
  const upstream = await open(options, host, Number(port));
  if (socket.destroyed) return void upstream.destroy();
  socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (head.length > 0) upstream.write(head);
  socket.pipe(upstream).pipe(socket);
  socket.on("close", () => upstream.destroy());
  upstream.on("close", () => socket.destroy());
}

/** Sends one request on. The address in the request line decides where to, and what the Host header says. */
async function forward(
  options: ProxyOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const text = incoming.url ?? "";
  const url = /^http:\/\//i.test(text) ? URL.parse(text) : null;
  if (url?.username !== "" || url.password !== "" || /[\s\\]/.test(text))
    throw new Refusal(400, "This is a proxy. It takes http:// addresses, and CONNECT for all others.");
  const port = Number(url.port || 80);
  const socket = await open(options, url.hostname, port);
  outgoing.on("close", () => socket.destroy());
  const upstream = request({
    // With an agent, Node would connect by itself.
    createConnection: () => socket,
    method: incoming.method ?? "GET",
    path: `${url.pathname}${url.search}`,
    headers: { ...endToEnd(incoming), host: url.host, connection: "close" },
    setHost: false,
  });
  upstream.on("error", (thrown) =>
    refuseRequest(outgoing, new Refusal(502, `It did not answer: ${thrown.message}`)),
  );
  upstream.on("response", (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer));
    answer.pipe(outgoing);
  });
  incoming.pipe(upstream);
}

/** The headers that concern both ends. */
function endToEnd({ rawHeaders, headers }: IncomingMessage): Record<string, string[]> {
  const dropped = new Set([
    ...HOP_BY_HOP,
    ...String(headers.connection ?? "")
      .toLowerCase()
      .split(/\s*,\s*/),
  ]);
  const kept: Record<string, string[]> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    // Framing is ours: a chunked body is chunked again.
    if (dropped.has(name) || (name === "content-length" && headers["transfer-encoding"] !== undefined))
      continue;
    kept[name] = [...(kept[name] ?? []), rawHeaders[index + 1] ?? ""];
  }
  return kept;
}

function refuseRequest(outgoing: ServerResponse, thrown: unknown): void {
  const { status, message } = refusalOf(thrown);
  if (outgoing.headersSent) return void outgoing.destroy();
  outgoing.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(`${message}\n`);
}

function refuseTunnel(socket: Duplex, thrown: unknown): void {
  const { status, message } = refusalOf(thrown);
  if (!socket.writable) return void socket.destroy();
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
  const length = Buffer.byteLength(message) + 1;
  socket.end(
    `${head}\r\ncontent-type: text/plain\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${message}\n`,
  );
}

function refusalOf(thrown: unknown): Refusal {
  return thrown instanceof Refusal ? thrown : new Refusal(502, "The proxy failed.");
}
