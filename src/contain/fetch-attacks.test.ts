import { existsSync, readFileSync } from "node:fs";
import { Socket } from "node:net";
import { expect, test, vi } from "vitest";
import { containedFetch } from "./fetch.ts";
import { checkedAddresses } from "./fetch-connect.ts";
import { checkUrl } from "./fetch-url.ts";
import { canary } from "./testing/web-server.ts";

const corpus = new URL("../../../shared/corpus/attacks/", import.meta.url);
const found = existsSync(corpus);
if (!found) console.log("fetch-attacks: ../shared/corpus is missing, its payloads are not tried");

function payloads(): string[] {
  return ["ssrf-ip-forms.txt", "ssrf-urls.txt"].flatMap((file) =>
    readFileSync(new URL(file, corpus), "utf8")
      .split("\n")
      .filter((line) => line !== ""),
  );
}

/** As if every host name in the payloads belonged to an attacker who points it at us. */
const resolveToLoopback = async () => ["127.0.0.1"];
/** In the list of payloads, but an ordinary public address. */
const HARMLESS = new Set(["http://1.1.1.1"]);

test.skipIf(!found && !process.env.CI)("no spelling of a private address opens a connection", async () => {
  const attacks = payloads().filter((payload) => !HARMLESS.has(payload));
  expect(attacks.length).toBeGreaterThan(600);
  const { port, connections } = await canary();
  const connect = vi.spyOn(Socket.prototype, "connect");
  try {
    for (const attack of attacks) {
      // The second time with the canary's port, so that it is not the port alone that blocks the request.
      const atCanary = attack.replace(/^(https?:\/\/[^/:?#\\]+|https?:\/\/\[[^\]]*\])(:\d+)?/, `$1:${port}`);
      for (const url of [attack, atCanary]) {
        const fetching = containedFetch(url, { resolve: resolveToLoopback, ports: [port] });
        await expect(fetching, url).rejects.toMatchObject({ code: "INVALID_INPUT" });
      }
    }
    expect(connect).not.toHaveBeenCalled();
  } finally {
    connect.mockRestore();
  }
  expect(connections()).toBe(0);
});

test("IPv4 addresses embedded in IPv6 addresses open no connection", async () => {
  const connect = vi.spyOn(Socket.prototype, "connect");
  const inner = ["127.0.0.1", "169.254.169.254", "10.0.0.1", "192.168.1.1", "100.100.100.200"];
  const forms = [
    "::",
    "::ffff:",
    "::ffff:0:",
    "64:ff9b::",
    "64:ff9b:1::",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
    "fe80::",
  ];
  for (const url of forms.flatMap((form) => inner.map((address) => `http://[${form}${address}]/`))) {
    await expect(containedFetch(url), url).rejects.toMatchObject({ code: "INVALID_INPUT" });
  }
  expect(connect).not.toHaveBeenCalled();
  connect.mockRestore();
});

test("a name with one private address among public ones is refused, and the message shows no address", async () => {
  const resolve = async () => ["93.184.215.14", "10.1.2.3"];
  const failure = await containedFetch("http://mixed.example.com/", { resolve }).catch((error) => error);
  expect(failure).toMatchObject({ code: "INVALID_INPUT" });
  expect(failure.message).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
});

test("if a name changes its address after the check, the connection goes to the checked address", async () => {
  const answers = [["93.184.215.14"], ["127.0.0.1"]];
  const resolve = vi.fn(async () => answers.shift() ?? []);
  const reached: string[] = [];
  const connect = vi.spyOn(Socket.prototype, "connect").mockImplementation(function (
    this: Socket,
    ...args: unknown[]
  ) {
    const [options] = args.flat() as [{ host: string; lookup: (...lookup: unknown[]) => void }];
    options.lookup(options.host, { all: true }, (_: unknown, found: { address: string }[]) => {
      reached.push(...found.map((entry) => entry.address));
    });
    queueMicrotask(() => this.destroy(new Error("as far as this test goes")));
    return this;
  });
  const fetching = containedFetch("http://rebind.example.com/", { resolve });
  await expect(fetching).rejects.toMatchObject({ code: "UPSTREAM_ERROR" });
  connect.mockRestore();
  expect(reached).toEqual(["93.184.215.14"]);
  expect(resolve).toHaveBeenCalledTimes(1);
});

test("ordinary public addresses are allowed", async () => {
  const hosts = [
    ..."example.com www.wikipedia.org en.m.wikipedia.org news.ycombinator.com github.com docs.python.org".split(
      " ",
    ),
    ..."bücher.de münchen.de 例え.jp xn--fsq.com sub.domain.co.uk my_bucket.s3.amazonaws.com a.io t.co".split(
      " ",
    ),
    ..."1password.com 3m.com 163.com 8.8.8.8 [2606:4700:4700::1111] localhost.com internal.io local.ch".split(
      " ",
    ),
    ..."metadata.example.org internal-tools.example.net my-localhost.dev host.docker.com".split(" "),
  ];
  const paths = [
    "/",
    "",
    "/a/b.html?x=1&y=%20#part",
    "/wiki/Caf%C3%A9_(film)",
    "/@user/post-1",
    "/?url=http://127.0.0.1/",
    "/path with space",
    "/ünïcode/路径",
    "/a//b/../c",
    "/search?q=localhost",
  ];
  const urls = hosts.flatMap((host) =>
    paths.map(
      (path, index) => `${index % 2 ? "http" : "https"}://${host}${index % 5 === 4 ? ":8443" : ""}${path}`,
    ),
  );
  expect(urls.length).toBeGreaterThanOrEqual(200);
  const resolve = async () => ["93.184.215.14", "2606:2800:220:1:248:1893:25c8:1946"];
  for (const url of urls) {
    const addresses = await checkedAddresses(checkUrl(url), resolve);
    expect(addresses.length, url).toBeGreaterThan(0);
  }
});
