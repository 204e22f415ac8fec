import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import type { Json } from "../protocol/json.ts";
import type { RunNotice } from "../protocol/notices.ts";
import type { Store } from "../protocol/store.ts";
import { createWebhook } from "./webhook.ts";

let receiver: Server;
let webhook: ReturnType<typeof createWebhook>;
const stored = new Map<string, unknown>();
const warned: string[] = [];

async function start(answer: RequestListener): Promise<void> {
  receiver = createServer(answer).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const store: Pick<Store, "getSettings" | "putSetting"> = {
    getSettings: async () => Object.fromEntries(stored) as Record<string, Json>,
    async putSetting(_user, name, value) {
      if (value === undefined) stored.delete(name);
      else stored.set(name, value);
    },
  };
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  webhook = createWebhook({ store, url, secret: "s", log: { warn: (_, message) => warned.push(message) } });
}

function notify(id: string): void {
  const notice: RunNotice = { id, kind: "done", userId: "u", sessionId: "s", runId: "r" };
  const { name, value } = webhook.settingOf(notice);
  stored.set(name, value);
  webhook.send(notice);
}

afterEach(() => {
  webhook.close();
  receiver.closeAllConnections();
  receiver.close();
  stored.clear();
  warned.length = 0;
});

it("takes a 2xx status as the answer, whatever follows it", async () => {
  await start((_, response) => response.end("x".repeat(200_000)));
  notify("long");
  await vi.waitFor(() => expect(stored.size).toBe(0));
  expect(warned).toEqual([]);
});

it("follows no redirect, and says once that the service accepts nothing", async () => {
  const asked: (string | undefined)[] = [];
  await start((request, response) => {
    asked.push(request.url);
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  notify("a");
  notify("b");
  await vi.waitFor(() => expect(asked).toEqual(["/hook", "/hook"]));
  await vi.waitFor(() => expect([...stored.values()]).toMatchObject([{ attempts: 1 }, { attempts: 1 }]));
  expect(warned).toEqual(["the webhook does not accept notices"]);
});

it("asks a service that hangs for little at once, and gets to all notices", async () => {
  const held: (() => void)[] = [];
  let open = 0;
  let most = 0;
  await start((_, response) => {
    most = Math.max(most, ++open);
    held.push(() => {
      open--;
      response.end();
    });
  });
  for (let one = 0; one < 40; one++) notify(`n${one}`);
  await vi.waitFor(() => expect(held.length).toBeGreaterThanOrEqual(16));
  await vi.waitFor(() => {
    for (const release of held.splice(0)) release();
    expect(stored.size).toBe(0);
  });
  expect(most).toBeLessThanOrEqual(17);
});
