import { createHmac } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn, errorTurn, jsonTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { ask, call } from "./support/accounts.ts";
import { isLong } from "./support/long.ts";
import { claimsOf, type Service, Subscriber, startService } from "./support/push-service.ts";
import { modelAt, type OwnProcess, startOwnServer, temporaryFolder } from "./support/server.ts";

const PATIENT = { timeout: 20_000 };
const SECRET = "a secret of the operator";
/** The keys of the example in RFC 8291. */
const EXAMPLE = new Subscriber("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94", "BTBZMqHH6r4Tts7J_aSIgg");
const folder = temporaryFolder();
const turns: Turn[] = [];
let upstream: Upstream;
let service: Service;
let hook: Service;
let server: OwnProcess;

function start(): Promise<OwnProcess> {
  return startOwnServer(folder.path, {
    ...modelAt(upstream.url),
    TACKLE_PUSH_ALLOW: service.host,
    TACKLE_WEBHOOK_URL: `${hook.url}/tackle`,
    TACKLE_WEBHOOK_SECRET: SECRET,
  });
}

const subscribe = (path: string, more: object = {}) =>
  call(server, "POST", "/me/push", {}, { endpoint: `${service.url}${path}`, keys: EXAMPLE.keys, ...more });

const say = (message: string) => ask(server, "POST", "/chat", {}, { message, stream: false });

const listed = async () =>
  (await ask<{ subscriptions: { endpoint: string }[] }>(server, "GET", "/me/push")).subscriptions;

/** What the push service has received, decrypted. */
const pushed = () => service.arrived.map(({ body }) => JSON.parse(EXAMPLE.decrypt(body)));

/** What the operator's service has received, with signatures checked. */
function hooked(): { id: string; type: string; data: Record<string, string> }[] {
  return hook.arrived.map(({ headers, body }) => {
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    const expected = createHmac("sha256", SECRET).update(signed).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${expected}`);
    expect(Math.abs(Number(headers["webhook-timestamp"]) - Date.now() / 1_000)).toBeLessThan(60);
    return JSON.parse(body.toString());
  });
}

beforeAll(async () => {
  const respond = ({ method }: { method: string }) =>
    method === "GET" ? jsonTurn({ object: "list", data: [] }) : (turns.shift() ?? chatTurn({ text: "Yes." }));
  upstream = await startUpstream({ respond });
  service = await startService();
  hook = await startService();
  server = await start();
});

afterAll(async () => {
  await server.stop();
  await upstream.close();
  service.close();
  hook.close();
  folder.remove();
});

afterEach(async () => {
  await ask(server, "DELETE", "/me/push");
  service.arrived.length = 0;
  hook.arrived.length = 0;
});

describe("Web Push", () => {
  it("is decrypted by the test as RFC 8291's example says", () => {
    const body =
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
    expect(EXAMPLE.decrypt(Buffer.from(body, "base64url"))).toBe("When I grow up, I want to be a watermelon");
  });

  it("tells a browser that an answer is complete, and nothing of it but the title", async () => {
    expect((await subscribe("/done")).status).toBe(201);
    turns.push(chatTurn({ text: "The code word is heron." }));
    await say("Tell me the code word");
    await expect.poll(() => service.arrived.length, PATIENT).toBe(1);
    const [notice] = pushed();
    expect(notice).toMatchObject({ kind: "done", title: "Tell me the code word" });
    expect(JSON.stringify(notice)).not.toContain("heron");
    const [{ headers }] = service.arrived as [(typeof service.arrived)[0]];
    expect(headers).toMatchObject({ "content-encoding": "aes128gcm", ttl: "86400" });
    expect(claimsOf(headers.authorization ?? "")).toMatchObject({ aud: service.url });
    const { publicKey } = await ask<{ publicKey: string }>(server, "GET", "/me/push");
    expect(headers.authorization).toContain(`k=${publicKey}`);
  });

  it("leaves the title out, and tells only what was asked for", async () => {
    await subscribe("/quiet", { kinds: ["failed"], titles: false });
    await say("A question about a secret");
    turns.push(errorTurn(401, { message: "wrong key" }));
    await say("Another one").catch(() => undefined);
    await expect.poll(() => pushed().map(({ kind }) => kind), PATIENT).toEqual(["failed"]);
    expect(pushed()[0]).not.toHaveProperty("title");
  });

  it("forgets a browser that is gone", async () => {
    await subscribe("/gone");
    service.statuses.push(410);
    await say("Anything");
    await expect.poll(listed, PATIENT).toEqual([]);
  });

  it("keeps the newest ten browsers of a person", async () => {
    for (let index = 0; index < 12; index++) await subscribe(`/${index}`);
    expect((await listed()).map(({ endpoint }) => endpoint.split("/").at(-1))).toEqual([
      "2",
      "3",
      "4",
      "5",
      "6",
      "7",
      "8",
      "9",
      "10",
      "11",
    ]);
  });

  it.each([
    ["a private address", "https://127.0.0.1/push"],
    ["the cloud's own addresses", "https://169.254.169.254/latest"],
    ["an address without TLS", "http://push.example/1"],
    ["another port of an allowed host", "http://127.0.0.1:9/push"],
  ])("refuses %s", async (_, endpoint) => {
    const answer = await call(server, "POST", "/me/push", {}, { endpoint, keys: EXAMPLE.keys });
    expect(answer.status).toBe(400);
    expect(await listed()).toEqual([]);
  });

  it("refuses keys that are none", async () => {
    const keys = { p256dh: "A".repeat(87), auth: "BTBZMqHH6r4Tts7J_aSIgg" };
    expect((await subscribe("/keys", { keys })).status).toBe(400);
  });
});

describe("the webhook", () => {
  it("is told of ends and failures, signed, with ids only", async () => {
    await say("What is the word?");
    turns.push(errorTurn(401, { message: "wrong key" }));
    await say("And now?").catch(() => undefined);
    await expect.poll(() => hooked().map(({ type }) => type), PATIENT).toEqual(["run.ended", "run.failed"]);
    const [ended] = hooked();
    expect(Object.keys(ended?.data ?? {}).sort()).toEqual(["finishReason", "runId", "sessionId", "userId"]);
  });

  it("tries again, also after the process was killed, until the service has accepted it", async () => {
    hook.statuses.push(500, 500, 500);
    await say("Once more");
    await expect.poll(() => hook.arrived.length, PATIENT).toBeGreaterThan(0);
    await server.kill();
    server = await start();
    await expect.poll(() => hook.statuses.length, PATIENT).toBe(0);
    await expect.poll(() => hook.arrived.length, PATIENT).toBeGreaterThanOrEqual(4);
    expect(new Set(hooked().map(({ id }) => id)).size).toBe(1);
  });

  it("loses no notice when the process is killed as soon as a client has seen the end", async () => {
    const ended: string[] = [];
    for (let kill = 0; kill < (isLong ? 4 : 2); kill++) {
      hook.statuses.push(503);
      const answer = await fetch(`${server.url}/chat`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ message: `Question ${kill}`, stream: true }),
      });
      let text = "";
      for await (const bytes of answer.body ?? []) {
        text += Buffer.from(bytes).toString();
        if (text.includes('"type":"done"')) break;
      }
      await server.kill();
      ended.push(/"runId":"([^"]+)"/.exec(text)?.[1] ?? "");
      server = await start();
    }
    const told = () => new Set(hooked().map(({ data }) => data.runId));
    await expect.poll(() => ended.filter((runId) => !told().has(runId)), PATIENT).toEqual([]);
    const ids = new Set(hooked().map(({ id }) => id));
    expect(ids.size).toBe(told().size);
  });
});
