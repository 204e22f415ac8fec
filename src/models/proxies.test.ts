import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { proxiesIn } from "./proxies.ts";
import { createTransport } from "./transport.ts";
import type { Transport } from "./wire/transport.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(answer: RequestListener): Promise<{ server: Server; address: string }> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function open(settings: Record<string, string>): Promise<Transport> {
  const transport = createTransport({ proxies: await proxiesIn(settings) });
  closing.push(() => transport.close());
  return transport;
}

async function get(transport: Transport, url: string): Promise<string> {
  const { signal } = new AbortController();
  const { body } = await transport.send({ method: "GET", url, headers: {}, signal });
  let text = "";
  for await (const bytes of body) text += Buffer.from(bytes).toString();
  return text;
}

describe("a proxy in the settings", () => {
  it("is asked for vendors with its password, in lower case first, and not for this machine or what NO_PROXY names", async () => {
    const proxy = await serve(({ url, headers }, response) =>
      response.end(`${url} for ${headers["proxy-authorization"]}`),
    );
    const direct = await serve((_, response) => response.end("direct"));
    const transport = await open({
      HTTP_PROXY: "http://elsewhere.invalid",
      http_proxy: `ada:open@${proxy.address}`,
      NO_PROXY: "inside.invalid",
    });
    const authorization = `Basic ${Buffer.from("ada:open").toString("base64")}`;
    expect(await get(transport, "http://vendor.invalid/v1/models?a=b")).toBe(
      `http://vendor.invalid/v1/models?a=b for ${authorization}`,
    );
    expect(await get(transport, `http://${direct.address}/`)).toBe("direct");
    await expect(get(transport, "http://inside.invalid/")).rejects.toMatchObject({ stage: "name" });
  });

  it("that refuses a request is named as the reason", async () => {
    const { server, address } = await serve(() => {});
    const asked: (string | undefined)[] = [];
    server.on("connect", ({ url }, socket) => {
      asked.push(url);
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    });
    const transport = await open({ ALL_PROXY: `http://${address}` });
    await expect(get(transport, "https://vendor.invalid/")).rejects.toMatchObject({ stage: "proxy" });
    expect(asked).toEqual(["vendor.invalid:443"]);
  });

  it("must be an address, and none is used without one", async () => {
    expect(await proxiesIn({ NO_PROXY: "*", HTTPS_PROXY: "" })).toBeUndefined();
    await expect(proxiesIn({ HTTPS_PROXY: "ftp://proxy.example" })).rejects.toThrow(/^HTTPS_PROXY: must be/);
  });
});
