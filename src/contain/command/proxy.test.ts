import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseHostRule } from "./hosts.ts";
import { createHostProxy } from "./proxy.ts";

let upstream: Server;
let port: number;
let seen: { request: IncomingMessage; body: string }[];
let proxies: Server[];
let denied: string[];

beforeEach(async () => {
  seen = [];
  proxies = [];
  denied = [];
  upstream = createServer(async (request, response) => {
    seen.push({ request, body: await text(request) });
    response.end("secret");
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  port = (upstream.address() as AddressInfo).port;
});
afterEach(() => {
  for (const server of [upstream, ...proxies]) {
    server.close();
    server.closeAllConnections();
  }
});

/** Sends bytes to a proxy with these hosts, and returns everything that it answers. */
async function send(
  hosts: string,
  bytes: string,
  resolve: (name: string) => Promise<string[]> = async () => ["127.0.0.1"],
): Promise<string> {
  const rules = hosts.split(",").flatMap((entry) => parseHostRule(entry) ?? []);
  const proxy = createHostProxy({ hosts: rules, onDenied: (target) => denied.push(target), resolve });
  proxies.push(proxy);
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const socket = connect((proxy.address() as AddressInfo).port, "127.0.0.1");
  socket.write(bytes);
  setTimeout(() => socket.end(), 300);
  return text(socket);
}

const get = (url: string, ...headers: string[]) =>
  `GET ${url} HTTP/1.1\r\n${[...headers, "", ""].join("\r\n")}`;

test("a host that is allowed with its port is reached by HTTP and by CONNECT", async () => {
  const hosts = `registry.example:${port}`;
  expect(await send(hosts, get(`http://registry.example:${port}/a?b=c`, "Host: x"))).toMatch(
    /^HTTP\/1.1 200 [\s\S]*secret/,
  );
  expect(seen[0]?.request.url).toBe("/a?b=c");
  const tunneled = await send(
    hosts,
    `CONNECT registry.example:${port} HTTP/1.1\r\nHost: x\r\n\r\n${get("/inner", "Host: inner")}`,
  );
  expect(tunneled).toMatch(/^HTTP\/1.1 200 Connection established\r\n\r\nHTTP\/1.1 200 OK[\s\S]*secret/);
  expect(denied).toEqual([]);
});

test("a host that is not allowed is refused by name, and not even resolved", async () => {
  const resolve = () => Promise.reject(new Error("resolved"));
  const answer = await send(
    "registry.example",
    get("http://evil.example/", "Host: registry.example"),
    resolve,
  );
  expect(answer).toMatch(/^HTTP\/1.1 403/);
  expect(answer).toContain("evil.example:80. It is not in TACKLE_SANDBOX_HOSTS");
  expect(await send("registry.example", "CONNECT evil.example:443 HTTP/1.1\r\n\r\n", resolve)).toMatch(
    /^HTTP\/1.1 403/,
  );
  expect(denied).toEqual(["evil.example:80", "evil.example:443"]);
});

test.each(["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:127.0.0.1", "0.0.0.0"])(
  "an allowed name with the private address %s is refused",
  async (address) => {
    const answer = await send(
      "registry.example",
      "CONNECT registry.example:443 HTTP/1.1\r\n\r\n",
      async () => [address],
    );
    expect(answer).toMatch(/^HTTP\/1.1 403[\s\S]*private address/);
    expect(
      await send("registry.example", get("http://registry.example/", "Host: x"), async () => [address]),
    ).toMatch(/^HTTP\/1.1 403/);
  },
);

test("a name with a public and a private address is refused", async () => {
  const both = async () => ["93.184.216.34", "127.0.0.1"];
  expect(await send("registry.example", "CONNECT registry.example:443 HTTP/1.1\r\n\r\n", both)).toMatch(
    /^HTTP\/1.1 403/,
  );
});

test("a name is resolved once, so a second answer of the DNS cannot lead elsewhere", async () => {
  let asked = 0;
  const rebinding = async () => {
    asked += 1;
    return asked === 1 ? ["192.0.2.1"] : ["127.0.0.1"];
  };
  expect(await send("registry.example", "CONNECT registry.example:443 HTTP/1.1\r\n\r\n", rebinding)).toMatch(
    /^HTTP\/1.1 403/,
  );
  expect(asked).toBe(1);
  expect(seen).toEqual([]);
});

test.each([22, 25, 8080, 6379])("CONNECT to port %i of an allowed host is refused", async (other) => {
  const answer = await send(
    "registry.example",
    `CONNECT registry.example:${other} HTTP/1.1\r\n\r\n`,
    async () => ["93.184.216.34"],
  );
  expect(answer).toMatch(/^HTTP\/1.1 403/);
});

test.each([
  "/",
  "http:registry.example",
  "https://registry.example/",
  "ftp://registry.example/",
  "http://user:pass@registry.example/",
  "http://registry.example\\@evil.example/",
  "//registry.example/",
  "*",
])("the request target %s is refused", async (target) => {
  expect(await send("registry.example,evil.example", get(target, "Host: registry.example"))).toMatch(
    /^HTTP\/1.1 40[03]/,
  );
  expect(seen).toEqual([]);
});

test.each([
  "registry.example",
  "registry.example:443@evil.example:443",
  "http://registry.example:443",
  ":443",
  "a b:443",
])("CONNECT to %s is refused", async (authority) => {
  const answer = await send("registry.example", `CONNECT ${authority} HTTP/1.1\r\n\r\n`);
  expect(answer).not.toMatch(/^HTTP\/1.1 2/);
  expect(seen).toEqual([]);
});

test("numeric spellings of an address are the address", async () => {
  for (const host of ["2130706433", "0x7f.1", "127.1", "[::ffff:7f00:1]"])
    expect(await send("registry.example", `CONNECT ${host}:443 HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1.1 403/);
  expect(denied.slice(0, 3)).toEqual(["127.0.0.1:443", "127.0.0.1:443", "127.0.0.1:443"]);
});

test("the upstream gets the host of the request line, and nothing that was meant for the proxy", async () => {
  await send(
    `registry.example:${port}`,
    get(
      `http://registry.example:${port}/`,
      "Host: internal.example",
      "Proxy-Authorization: Basic eA==",
      "Connection: close, X-Hop",
      "X-Hop: 1",
      "X-Kept: 2",
    ),
  );
  const [{ request } = { request: undefined }] = seen;
  expect(request?.headers.host).toBe(`registry.example:${port}`);
  expect(request?.headers).toMatchObject({ "x-kept": "2" });
  expect(request?.headers["x-hop"]).toBeUndefined();
  expect(request?.headers["proxy-authorization"]).toBeUndefined();
});

test("a body that two parsers could read differently smuggles no second request", async () => {
  const url = `http://registry.example:${port}/`;
  const inner = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
  for (const headers of [
    ["Content-Length: 6", "Transfer-Encoding: chunked"],
    ["Content-Length: 0", `Content-Length: ${inner.length}`],
    ["Transfer-Encoding: chunked, identity"],
    ["Transfer-Encoding : chunked"],
    ["Content-Length: +5"],
  ]) {
    const head = [`POST ${url} HTTP/1.1`, "Host: x", ...headers, "", ""].join("\r\n");
    await send(`registry.example:${port}`, `${head}0\r\n\r\n${inner}`);
  }
  expect(seen.map(({ request }) => request.url)).not.toContain("/smuggled");
});

test("each request of a kept connection is checked", async () => {
  const first = get(`http://registry.example:${port}/`, "Host: x");
  const answer = await send(`registry.example:${port}`, first + get("http://evil.example/", "Host: x"));
  expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 403"]);
  expect(seen.length).toBe(1);
});
