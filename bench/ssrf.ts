import { existsSync, readFileSync } from "node:fs";
import { createServer, Socket } from "node:net";
import { containedFetch } from "../src/contain/fetch.ts";
import { checkedAddresses } from "../src/contain/fetch-connect.ts";
import { checkUrl } from "../src/contain/fetch-url.ts";

const CORPUS = new URL("../../shared/corpus/attacks/", import.meta.url);
const FILES = ["ssrf-ip-forms.txt", "ssrf-urls.txt"];
/** Ordinary public addresses that are in the lists. */
const HARMLESS = new Set(["http://1.1.1.1"]);
const EMBEDDED = ["127.0.0.1", "169.254.169.254", "10.0.0.1", "192.168.1.1", "100.100.100.200"];
const FORMS = [
  "::",
  "::ffff:",
  "::ffff:0:",
  "64:ff9b::",
  "64:ff9b:1::",
  "2002:7f00:1::",
  "2001::",
  "fd00::",
  "fe80::",
];
const PUBLIC_ADDRESSES = ["93.184.215.14", "2606:2800:220:1:248:1893:25c8:1946"];

/** Measures how many attempts to reach a private address are blocked, and how many public addresses are allowed. */
export async function run(): Promise<void> {
  const attacks = [...payloads(), ...embedded()];
  const connections = countConnections();
  const canary = await openCanary();
  const began = performance.now();
  let stopped = 0;
  for (const attack of attacks) {
    // Tries each payload as it is and with the canary's port, so that a block is not only due to the port.
    const atCanary = attack.replace(/^(https?:\/\/(?:\[[^\]]*\]|[^/:?#\\]+))(?::\d+)?/, `$1:${canary.port}`);
    if ((await isStopped(attack, canary.port)) && (await isStopped(atCanary, canary.port))) stopped += 1;
  }
  const milliseconds = performance.now() - began;
  canary.close();
  connections.restore();
  const urls = publicUrls();
  const allowed = (await Promise.all(urls.map(isAllowed))).filter(Boolean).length;
  console.log(`payloads tried        ${attacks.length}`);
  console.log(`payloads stopped      ${stopped}`);
  console.log(
    `connections opened    ${connections.count()} (seen by a canary on the loopback address: ${canary.count()})`,
  );
  console.log(
    `public URLs allowed   ${allowed} of ${urls.length} (${((100 * allowed) / urls.length).toFixed(1)} %)`,
  );
  console.log(`time for one payload  ${(milliseconds / attacks.length).toFixed(3)} ms`);
  if (stopped < attacks.length || connections.count() > 0 || allowed < urls.length * 0.99)
    process.exitCode = 1;
}

function payloads(): string[] {
  if (!existsSync(CORPUS)) {
    console.log("The payload lists are missing from ../shared/corpus; only built-in payloads are tried.");
    return [];
  }
  return FILES.flatMap((file) => readFileSync(new URL(file, CORPUS), "utf8").split("\n")).filter(
    (line) => line !== "" && !HARMLESS.has(line),
  );
}

function embedded(): string[] {
  return FORMS.flatMap((form) => EMBEDDED.map((address) => `http://[${form}${address}]/`));
}

/** Resolves every name to the loopback address, like an attacker's name server. */
async function isStopped(url: string, port: number): Promise<boolean> {
  try {
    await containedFetch(url, { resolve: async () => ["127.0.0.1"], ports: [port], totalMs: 2_000 });
    return false;
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown && thrown.code === "INVALID_INPUT";
  }
}

async function isAllowed(url: string): Promise<boolean> {
  try {
    return (await checkedAddresses(checkUrl(url), async () => PUBLIC_ADDRESSES)).length > 0;
  } catch (thrown) {
    console.log(`refused: ${url} (${thrown instanceof Error ? thrown.message : String(thrown)})`);
    return false;
  }
}

function publicUrls(): string[] {
  const names =
    "news shop docs api blog en m cdn my-site a1 127 localhost internal metadata xn--bcher-kva".split(" ");
  const domains =
    "example.com example.org wikipedia.org site.co.uk amazonaws.com bücher.de 例え.jp local.ch".split(" ");
  const paths = ["", "/", "/a/b?c=d#e", "/?url=http://127.0.0.1/", "/wiki/Caf%C3%A9_(film)", "/路径"];
  return names.flatMap((name) =>
    domains.flatMap((domain, index) =>
      paths.map(
        (path) =>
          `${index % 2 ? "http" : "https"}://${name}.${domain}${index % 4 === 3 ? ":8443" : ""}${path}`,
      ),
    ),
  );
}

function countConnections() {
  const { connect } = Socket.prototype;
  let count = 0;
  Socket.prototype.connect = function (this: Socket, ...args: Parameters<typeof connect>) {
    count += 1;
    return connect.apply(this, args);
  } as typeof connect;
  return {
    count: () => count,
    restore() {
      Socket.prototype.connect = connect;
    },
  };
}

async function openCanary() {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { port, count: () => count, close: () => void server.close() };
}
