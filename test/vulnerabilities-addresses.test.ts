import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Upstream } from "../src/sim/upstream.ts";
import { bearer, call, signUp } from "./support/accounts.ts";
import { type HostileWorld, startWorld } from "./support/hostile-world.ts";
import type { ServerProcess } from "./support/server.ts";

const HOST = "127.77.0.1";

let world: HostileWorld;
let server: ServerProcess;
let upstream: Upstream;

beforeAll(async () => {
  world = await startWorld(HOST);
  ({ server, upstream } = world);
});
afterAll(() => world.close());

describe("addresses", () => {
  const host = HOST;
  const port = 8080;
  const [a, b, c, d] = host.split(".").map(Number) as [number, number, number, number];
  const hex = (number: number) => number.toString(16).padStart(2, "0");
  const high = `${hex(a)}${hex(b)}`;
  const low = `${hex(c)}${hex(d)}`;
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const hosts = [
    host,
    `[::ffff:${host}]`,
    `[::${host}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[64:ff9b::${host}]`,
    `[64:ff9b:1::${high}:${low}]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:0:0:0:0:${(0xffff ^ Number.parseInt(high, 16)).toString(16)}:${(0xffff ^ Number.parseInt(low, 16)).toString(16)}]`,
    `[::ffff:0:${host}]`,
    "[::1]",
    "[::]",
    "[fe80::1%25lo]",
    "[::ffff:169.254.169.254]",
    "[fd00:ec2::254]",
    "169.254.169.254",
    "metadata.google.internal",
    String(number),
    `0x${high}${low}`,
    `0${a.toString(8)}.0${b.toString(8)}.0.01`,
    `${a}.${b}.1`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}。${b}。${c}。${d}`,
    "①②⑦.77.0.1",
    `${host}.`,
    "localhost",
    "LOCALHOST.",
    "localhost.localdomain",
    `${host}\u0000.example.com`,
    `${host}%00.example.com`,
    `example.com\u0000.${host}`,
    `${host}\t`,
    `${host}\u00ad`,
    `${host}\u200b`,
    "0.0.0.0",
    "0",
    "127.1",
  ];
  const spelled = hosts.flatMap((one) => [`http://${one}:${port}/x`, `http://user@${one}:${port}/x`]);
  const confused = [
    `http://example.com@${host}:${port}/x`,
    `http://example.com:80@${host}:${port}/x`,
    `http://example.com\\@${host}:${port}/x`,
    `http://${host}:${port}\\@example.com/x`,
    `http://example.com#@${host}:${port}/x`,
    `http:\\\\${host}:${port}\\x`,
    `http:/${host}:${port}/x`,
    `http:${host}:${port}/x`,
    `//${host}:${port}/x`,
    `\thttp://${host}:${port}/x`,
    `ht\ntp://${host}:${port}/x`,
    `http://${host}:0${port}/x`,
    `http://${host}:${port}%2fx@example.com/`,
    `HTTP://${host}:${port}/x`,
    `http://\u0000${host}:${port}/x`,
    `http://[${host}]:${port}/x`,
    `gopher://${host}:${port}/x`,
    `file://${host}/etc/passwd`,
    `view-source:http://${host}:${port}/x`,
    `data:text/html,<iframe src=http://${host}:${port}>`,
    `javascript:fetch('http://${host}:${port}')`,
  ];

  it("no spelling of a local address reaches a listener on this machine", async () => {
    // The listener works: a plain request is answered.
    expect(await (await fetch(`http://${host}:${port}/control`)).text()).toBe("reached");
    world.canary.reached.length = 0;
    const opened: string[] = [];
    for (const url of [...spelled, ...confused]) {
      const answer = await call(server, "POST", "/tools/web_fetch", {}, { url });
      if (answer.status < 400 || answer.status === 500)
        opened.push(`${answer.status} ${JSON.stringify(url)}`);
      await answer.body?.cancel();
    }
    expect(opened).toEqual([]);
    expect(world.canary.reached).toEqual([]);
  });

  it("the server opens no address from any part of a request", async () => {
    world.canary.reached.length = 0;
    const url = `http://${host}:${port}/picture.png`;
    const image = { type: "image_url", image_url: { url } };
    const markup = `<img src="${url}"><link rel="stylesheet" href="${url}"><script src="${url}"></script>`;
    const requests: [string, unknown][] = [
      ["/v1/chat/completions", { model: "openai/gpt-4o", messages: [{ role: "user", content: [image] }] }],
      [
        "/v1/responses",
        {
          model: "openai/gpt-4o",
          input: [{ role: "user", content: [{ type: "input_image", image_url: url }] }],
        },
      ],
      [
        "/v1/responses",
        {
          model: "openai/gpt-4o",
          input: [{ role: "user", content: [{ type: "input_file", file_url: url }] }],
        },
      ],
      ["/chat", { message: "look", attachments: [{ fileId: url }], stream: false }],
      ["/chat", { message: "look", attachments: [{ url }], stream: false }],
      ["/chat", { messages: [{ role: "user", content: `![x](${url}) ${markup}` }], stream: false }],
      [
        "/chat/ui",
        {
          id: "c1",
          messages: [{ id: "1", role: "user", parts: [{ type: "file", mediaType: "image/png", url }] }],
        },
      ],
      [
        "/chat/ag-ui",
        {
          threadId: "t1",
          runId: "r1",
          messages: [{ id: "1", role: "user", content: [{ type: "binary", mimeType: "image/png", url }] }],
        },
      ],
      ["/tools/generate_image", { prompt: "a heron", mode: "edit", baseImage: url }],
      ["/generate-image", { prompt: "a heron", mode: "edit", baseImage: url, base_image: url }],
      ["/tools/generate_artifact", { type: "html", code: markup }],
      [
        "/tools/generate_artifact",
        { type: "svg", code: `<svg xmlns="http://www.w3.org/2000/svg"><image href="${url}"/></svg>` },
      ],
      ["/tools/generate_artifact", { type: "markdown", code: `![x](${url})` }],
      [
        "/tools/generate_artifact",
        { type: "react", code: `import x from "${url}"; export default () => <img src="${url}"/>;` },
      ],
      ["/tools/web_fetch", { url: "http://example.com/", continuationToken: url }],
      ["/tools/browser.search", { query: "heron", provider: url }],
      ["/sessions/import", [{ title: "x", url, messages: [{ role: "user", content: [image] }] }]],
      ["/files", { url }],
      ["/guard/scan", { text: markup }],
    ];
    for (const [path, body] of requests) await (await call(server, "POST", path, {}, body)).text();
    expect(world.canary.reached).toEqual([]);
  });

  it("the server does not ask vendors to open internal addresses", async () => {
    const before = upstream.requests.length;
    for (const url of [
      `http://${host}:${port}/x.png`,
      "http://169.254.169.254/x.png",
      "http://[::1]/x.png",
      "http://db.internal/x.png",
      "http://localhost/x.png",
    ]) {
      const content = [{ type: "image_url", image_url: { url } }];
      const body = { model: "openai/gpt-4o", messages: [{ role: "user", content }] };
      expect((await call(server, "POST", "/v1/chat/completions", {}, body)).status, url).toBe(400);
    }
    expect(upstream.requests.length).toBe(before);
    const content = [{ type: "image_url", image_url: { url: "https://example.com/x.png" } }];
    const body = { model: "openai/gpt-4o", messages: [{ role: "user", content }] };
    expect((await call(server, "POST", "/v1/chat/completions", {}, body)).status).toBe(200);
  });

  it("the server's vendor key is sent only to the server's configured address", async () => {
    world.canary.reached.length = 0;
    const evil = `http://${host}:${port}/v1`;
    const user = await signUp(server, "override");
    const shown = bearer(user.token);
    const names = ["OPENAI_BASE_URL", "openai_base_url", "baseUrl", "base_url", "openai.baseUrl"];
    const settings = Object.fromEntries(names.map((name) => [name, evil]));
    await (await call(server, "PUT", "/me/settings", shown, { settings })).text();
    for (const keys of [
      { OPENAI_BASE_URL: evil },
      { openai: { key: "x", baseUrl: evil } },
      { "openai/base": evil },
    ])
      await (await call(server, "PUT", "/me/settings", shown, { keys })).text();
    const headers = { ...shown, "x-openai-base-url": evil, "x-base-url": evil, "openai-base-url": evil };
    const fields = {
      base_url: evil,
      baseUrl: evil,
      api_base: evil,
      provider: { baseUrl: evil },
      provider_id: evil,
    };
    const question = { messages: [{ role: "user", content: "hello" }] };
    for (const model of ["openai/gpt-4o", evil, `openai/${evil}`, "openai/../../x", "gpt-4o"])
      for (const extra of [{}, fields])
        for (const path of ["/v1/chat/completions", "/chat"])
          await (
            await call(server, "POST", path, headers, { ...question, model, ...extra, stream: false })
          ).text();
    expect(world.canary.reached).toEqual([]);
    // A redirect by the vendor does not forward the key either.
    upstream.play({ status: 307, headers: { location: `${evil}/chat/completions` }, frames: [] } as never);
    await (await call(server, "POST", "/chat", shown, { message: "hello", stream: false })).text();
    expect(world.canary.reached).toEqual([]);
  });
});
