import { once } from "node:events";
import type { Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { Failure } from "../protocol/failure.ts";
import { containedFetch } from "./fetch.ts";
import { canary, type WebServer, webServer } from "./testing/web-server.ts";

const textOf = (body: Uint8Array) => Buffer.from(body).toString("utf8");
const allowing = (...servers: WebServer[]) => ({ allow: servers.map((server) => server.host) });

describe("redirects", () => {
  test("are followed with GET, and the result says where they led", async () => {
    const server = await webServer((request, response) => {
      if (request.url === "/end")
        response.setHeader("content-type", "text/plain; charset=utf-8").end("there");
      else response.writeHead(307, { location: request.url === "/start" ? "middle?x=1" : "/end" }).end();
    });
    const page = await containedFetch(server.url("/start"), allowing(server));
    expect(page).toMatchObject({ status: 200, url: server.url("/end"), redirects: 2 });
    expect(page.contentType).toBe("text/plain; charset=utf-8");
    expect(textOf(page.body)).toBe("there");
    expect(server.requests.map((request) => request.method)).toEqual(["GET", "GET", "GET"]);
  });

  test.each([301, 302, 303, 307, 308])(
    "with status %i to a forbidden address are not followed",
    async (status) => {
      const inside = await canary();
      const server = await webServer((request, response) => {
        const port = new URL(request.url ?? "", "http://x").searchParams.get("port");
        response.writeHead(status, { location: `http://127.0.0.1:${port}/latest/meta-data/` }).end();
      });
      const fetching = containedFetch(server.url(`/?port=${inside.port}`), {
        ...allowing(server),
        ports: [inside.port],
      });
      await expect(fetching).rejects.toMatchObject({
        code: "INVALID_INPUT",
        publicMessage: expect.stringContaining("redirects elsewhere"),
      });
      expect(inside.connections()).toBe(0);
    },
  );

  test("to a name that resolves to a private address, to another scheme or with credentials are not followed", async () => {
    const locations = [
      "http://rebound.example.com/",
      "file:///etc/passwd",
      "http://a:b@example.com/",
      "http://[::1]/",
    ];
    const server = await webServer((request, response) => {
      response.writeHead(302, { location: locations[Number(request.url?.slice(1))] }).end();
    });
    const resolve = async () => ["127.0.0.1"];
    for (const index of locations.keys()) {
      const fetching = containedFetch(server.url(`/${index}`), { ...allowing(server), resolve });
      await expect(fetching, locations[index]).rejects.toMatchObject({ code: "INVALID_INPUT" });
    }
  });

  test("do not carry secrets", async () => {
    const second = await webServer((_, response) => response.end("done"));
    const first = await webServer((_, response) =>
      response.writeHead(302, { location: second.url("/") }).end(),
    );
    await containedFetch(first.url("/"), {
      ...allowing(first, second),
      headers: { Authorization: "Bearer secret", Cookie: "a=b", "X-Api-Key": "secret", Accept: "text/html" },
    });
    expect(first.requests[0]?.headers).toMatchObject({
      authorization: "Bearer secret",
      "x-api-key": "secret",
    });
    expect(JSON.stringify(second.requests[0]?.headers)).not.toMatch(/secret|cookie/);
    expect(second.requests[0]?.headers.accept).toBe("text/html");
  });

  test("are given up if they never end", async () => {
    const server = await webServer((_, response) => response.writeHead(302, { location: "/again" }).end());
    await expect(containedFetch(server.url("/"), allowing(server))).rejects.toMatchObject({
      code: "UPSTREAM_ERROR",
      retryable: false,
    });
    expect(server.requests).toHaveLength(6);
  });
});

describe("the connection", () => {
  test("goes to the resolved address with the name of the host", async () => {
    const server = await webServer((request, response) => response.end(request.headers.host));
    const host = `page.example.com:${server.port}`;
    const resolve = vi.fn(async () => ["127.0.0.1"]);
    const page = await containedFetch(`http://${host}/`, { allow: [host], resolve });
    expect(textOf(page.body)).toBe(host);
    expect(resolve).toHaveBeenCalledExactlyOnceWith("page.example.com");
  });

  test("sends the name of the host in TLS", async () => {
    const hello = Promise.withResolvers<string>();
    const server = await canary((socket) => {
      socket.once("data", (data) => {
        hello.resolve(data.toString("latin1"));
        socket.destroy();
      });
    });
    const host = `secure.example.com:${server.port}`;
    const fetching = containedFetch(`https://${host}/`, {
      allow: [host],
      resolve: async () => ["127.0.0.1"],
    });
    await expect(fetching).rejects.toMatchObject({ code: "UPSTREAM_ERROR" });
    expect(await hello.promise).toContain("secure.example.com");
  });

  test("ignores proxy settings of the environment", async () => {
    const proxy = await canary();
    const server = await webServer((_, response) => response.end("direct"));
    for (const name of ["http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"]) {
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
    }
    const page = await containedFetch(server.url("/"), allowing(server));
    vi.unstubAllEnvs();
    expect(textOf(page.body)).toBe("direct");
    expect(proxy.connections()).toBe(0);
  });

  test("that breaks off is reported without an address", async () => {
    const gone = await canary();
    const host = `gone.example.com:${gone.port}`;
    const resolve = async () => ["127.0.0.1"];
    const failure = await containedFetch(`http://${host}/`, { allow: [host], resolve }).catch(
      (error) => error,
    );
    expect(failure).toMatchObject({ code: "UPSTREAM_ERROR", retryable: true });
    expect(failure.message).not.toContain("127.0.0.1");
  });

  test("to a name that does not exist fails clearly", async () => {
    const resolve = async () => {
      throw Object.assign(new Error("queryA ENOTFOUND"), { code: "ENOTFOUND" });
    };
    await expect(containedFetch("http://no.such.example/", { resolve })).rejects.toMatchObject({
      code: "UPSTREAM_ERROR",
      retryable: false,
      publicMessage: 'The name of "no.such.example" could not be found. Check the address.',
    });
  });

  test("is closed by an abort, both before the response and in the middle of it", async () => {
    const sockets: Socket[] = [];
    const server = await webServer((request, response) => {
      sockets.push(request.socket);
      if (request.url === "/body") response.write("a part");
    });
    for (const path of ["/nothing", "/body"]) {
      const abort = new AbortController();
      const fetching = containedFetch(server.url(path), { ...allowing(server), signal: abort.signal });
      const outcome = expect(fetching).rejects.toThrow("enough");
      await vi.waitFor(() => expect(server.requests.at(-1)?.url).toBe(path));
      const socket = sockets.at(-1);
      const closed = socket?.destroyed ? undefined : once(socket as Socket, "close");
      abort.abort(new Error("enough"));
      await outcome;
      await closed;
      expect(socket?.destroyed).toBe(true);
    }
  });

  test("is not opened after an abort", async () => {
    const server = await webServer((_, response) => response.end());
    const fetching = containedFetch(server.url("/"), {
      ...allowing(server),
      signal: AbortSignal.abort(new Error("no")),
    });
    await expect(fetching).rejects.toThrow("no");
    expect(server.connections()).toBe(0);
  });
});

describe("time", () => {
  test.each([
    ["never answers", { headersMs: 40 }],
    ["drips its body", { totalMs: 120 }],
  ])("for a server that %s is limited", async (behavior, limits) => {
    const server = await webServer((_, response) => {
      if (behavior === "never answers") return;
      response.writeHead(200);
      const timer = setInterval(() => response.write("."), 10);
      response.on("close", () => clearInterval(timer));
    });
    await expect(containedFetch(server.url("/"), { ...allowing(server), ...limits })).rejects.toMatchObject({
      code: "UPSTREAM_TIMEOUT",
    });
  });

  test("for a lookup that hangs is limited", async () => {
    const resolve = () => new Promise<never>(() => undefined);
    await expect(
      containedFetch("http://slow.example.com/", { resolve, headersMs: 30 }),
    ).rejects.toMatchObject({
      code: "UPSTREAM_TIMEOUT",
    });
  });
});

describe("size", () => {
  const zeros = Buffer.alloc(40_000_000);

  test.each([
    ["gzip", gzipSync(zeros)],
    ["deflate", deflateSync(zeros)],
    ["br", brotliCompressSync(zeros)],
    ["zstd", zstdCompressSync(zeros)],
    ["gzip, gzip", gzipSync(gzipSync(zeros))],
  ])("of a decompressed %s body is limited", async (coding, bomb) => {
    const server = await webServer((_, response) => {
      response.setHeader("content-encoding", coding).end(bomb);
    });
    expect(bomb.length).toBeLessThan(200_000);
    await expect(containedFetch(server.url("/"), allowing(server))).rejects.toMatchObject({
      code: "TOO_LARGE",
      publicMessage: "The answer is larger than the 10 MB that are read at most.",
    });
  });

  test("of an endless body is limited, and its socket is closed", async () => {
    const closed = Promise.withResolvers<void>();
    const server = await webServer((_, response) => {
      response.on("close", closed.resolve);
      const fill = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
      };
      response.on("drain", fill);
      fill();
    });
    const fetching = containedFetch(server.url("/"), { ...allowing(server), maxBytes: 300_000 });
    await expect(fetching).rejects.toMatchObject({ code: "TOO_LARGE" });
    await closed.promise;
  });

  test("is checked by the content-length header before anything is read", async () => {
    const server = await webServer((_, response) => {
      response.writeHead(200, { "content-length": "99000000000" }).flushHeaders();
    });
    await expect(containedFetch(server.url("/"), allowing(server))).rejects.toMatchObject({
      code: "TOO_LARGE",
    });
  });

  test("of the headers is limited", async () => {
    const server = await webServer((_, response) => {
      response.setHeader("x-huge", "a".repeat(100_000)).end();
    });
    await expect(containedFetch(server.url("/"), allowing(server))).rejects.toMatchObject({
      code: "TOO_LARGE",
    });
  });
});

describe("a compressed body", () => {
  test.each([
    ["gzip", gzipSync("grüße")],
    ["x-gzip", gzipSync("grüße")],
    ["deflate", deflateSync("grüße")],
    ["deflate", deflateRawSync("grüße")],
    ["br", brotliCompressSync("grüße")],
    ["zstd", zstdCompressSync("grüße")],
    ["identity", Buffer.from("grüße")],
    ["gzip, br", brotliCompressSync(gzipSync("grüße"))],
  ])("in %s is decompressed", async (coding, packed) => {
    const server = await webServer((_, response) => {
      response.setHeader("content-encoding", coding).end(packed);
    });
    expect(textOf((await containedFetch(server.url("/"), allowing(server))).body)).toBe("grüße");
  });

  test.each([
    ["gzip", "this is not packed at all"],
    ["br", "this is not packed at all"],
    ["zstd", "this is not packed at all"],
    ["rot13", "grüße"],
    ["gzip, gzip, gzip, gzip", ""],
  ])("that cannot be decompressed (%s) is a failure", async (coding, body) => {
    const server = await webServer((_, response) => {
      response.setHeader("content-encoding", coding).end(body);
    });
    await expect(containedFetch(server.url("/"), allowing(server))).rejects.toMatchObject({
      code: "UPSTREAM_ERROR",
      retryable: false,
    });
  });

  test("that is empty stays empty", async () => {
    const server = await webServer((_, response) => {
      response.setHeader("content-encoding", "gzip").end();
    });
    expect((await containedFetch(server.url("/"), allowing(server))).body).toHaveLength(0);
  });
});

test("the caller can stop before the body is read", async () => {
  const server = await webServer((_, response) => {
    response.setHeader("content-type", "video/mp4").write("endless");
  });
  const inspect = vi.fn(() => {
    throw new Failure("INVALID_INPUT", "not this");
  });
  await expect(containedFetch(server.url("/"), { ...allowing(server), inspect })).rejects.toThrow("not this");
  expect(inspect).toHaveBeenCalledWith(expect.objectContaining({ contentType: "video/mp4", status: 200 }));
});

describe("a request body", () => {
  test("is sent with POST to the given URL", async () => {
    const bodies: string[] = [];
    const server = await webServer(async (request, response) => {
      bodies.push(Buffer.concat(await request.toArray()).toString());
      response.end("thanks");
    });
    const options = { ...allowing(server), requestBody: '{"query":"grüße"}' };
    expect(textOf((await containedFetch(server.url("/"), options)).body)).toBe("thanks");
    expect(server.requests.map(({ method, headers }) => [method, headers["content-length"]])).toEqual([
      ["POST", "19"],
    ]);
    expect(bodies).toEqual(['{"query":"grüße"}']);
  });

  test.each([301, 302, 303, 307, 308])(
    "is not sent anywhere else by a redirect with status %i",
    async (status) => {
      const elsewhere = await webServer((_, response) => void response.end("mine now"));
      const server = await webServer((_, response) => {
        response.writeHead(status, { location: elsewhere.url("/") }).end();
      });
      const options = { ...allowing(server, elsewhere), requestBody: "secret" };
      await expect(containedFetch(server.url("/"), options)).rejects.toMatchObject({
        code: "UPSTREAM_ERROR",
      });
      expect(elsewhere.requests).toHaveLength(0);
    },
  );
});
