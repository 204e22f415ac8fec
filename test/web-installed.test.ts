import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadPage, servePageFile } from "../src/http/page.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { setUpTokenOf } from "./support/accounts.ts";
import { answered, openPage, say } from "./support/browser.ts";
import { startLine } from "./support/line.ts";
import { root } from "./support/pages.ts";
import { openStage, type WebStage } from "./support/web.ts";

const PATIENT = { timeout: 30_000 };
const WORKING = { serviceWorkers: "allow" } as const;
let stage: WebStage;

/** Returns everything in the caches with what belongs to a person. */
function copies(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith("tackle-copies-"));
    const kept = await Promise.all(names.map(async (name) => (await caches.open(name)).matchAll()));
    const texts = kept.flat().map(async (response) => response.text());
    return `${names.join(" ")} ${(await Promise.all(texts)).join("\n")}`;
  });
}

async function controlled(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null), PATIENT)
    .toBe(true);
}

describe.skipIf(!hasBrowser())("the installed app", () => {
  beforeAll(async () => {
    stage = await openStage({ TACKLE_AUTH: "guest" });
  });
  afterAll(() => stage.close());

  it("has a manifest whose icons have the sizes that it names", async () => {
    const answer = await fetch(`${stage.server.url}/manifest.webmanifest`);
    expect(answer.headers.get("content-type")).toBe("application/manifest+json");
    const manifest = (await answer.json()) as { name: string; icons: { src: string; sizes: string }[] };
    expect(manifest).toMatchObject({ name: "Tackle", start_url: "/", display: "standalone" });
    expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(["192x192", "512x512", "192x192", "512x512"]);
    for (const { src, sizes } of manifest.icons) {
      const icon = Buffer.from(await (await fetch(stage.server.url + src)).arrayBuffer());
      expect(`${icon.readUInt32BE(16)}x${icon.readUInt32BE(20)}`).toBe(sizes);
    }
  });

  it("can be installed, without errors of the page's policy", async () => {
    const { page, context, problems } = await openPage(stage.browser, stage.server.url, WORKING);
    await controlled(page);
    const session = await context.newCDPSession(page);
    const { manifest, errors } = (await session.send("Page.getAppManifest")) as {
      manifest?: { name?: string };
      errors: unknown[];
    };
    expect([errors, manifest?.name ?? "Tackle"]).toEqual([[], "Tackle"]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("shows the newest conversations while the server can't be reached, says so, and recovers", async () => {
    const line = await startLine(stage.server.url);
    const { page, context } = await openPage(stage.browser, line.url, WORKING);
    await controlled(page);
    stage.play(chatTurn({ text: "The lighthouse stands on **Skagen**." }));
    await say(page, "Where is the lighthouse?");
    await answered(page);
    await expect.poll(() => copies(page), PATIENT).toContain("Skagen");
    line.cut();
    await page.goto(`${line.url}/#/`);
    await page.reload();
    await page
      .getByText(/Can’t reach the server|You’re offline/)
      .first()
      .waitFor();
    await page
      .getByRole("link", { name: /Where is the lighthouse/ })
      .or(page.getByRole("button", { name: /Where is the lighthouse/ }))
      .first()
      .click();
    await page.locator("article.answer").getByText("Skagen").waitFor();
    line.mend();
    await expect.poll(() => page.getByText("Can’t reach the server").count(), PATIENT).toBe(0);
    await context.close();
    await line.close();
  });

  it("shows once what is written offline after a reload, sends it when it is back, and says once that it is offline", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, WORKING);
    await controlled(page);
    stage.play(chatTurn({ text: "In the harbor." }), chatTurn({ text: "At noon." }));
    await say(page, "Where is the boat?");
    await answered(page);
    await expect.poll(() => copies(page), PATIENT).toContain("In the harbor");
    await context.setOffline(true);
    await page.reload();
    await page.getByText("In the harbor.").waitFor();
    await page.getByText("You’re offline. Answers keep going").waitFor();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    await page.locator("[data-part=model-picker]", { hasText: "GPT-4o" }).waitFor();
    expect(await page.locator("[data-part=toast]").allTextContents()).toEqual([]);
    await say(page, "When does it leave?");
    await page.getByText("Sends when you’re back.").waitFor();
    await context.setOffline(false);
    await page.getByText("At noon.").waitFor();
    await answered(page);
    expect(await page.locator("[data-part=asked]").allTextContents()).toHaveLength(2);
    expect(await page.locator("article.answer").count()).toBe(2);
    await context.close();
  });

  it("keeps nothing of a person who has signed out, or of a deleted conversation", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, WORKING);
    const post = (path: string, body: object = {}) =>
      page.evaluate(
        ([to, text]) =>
          fetch(to, { method: "POST", headers: { "content-type": "application/json" }, body: text }).then(
            ({ status }) => status,
          ),
        [path, JSON.stringify(body)] as const,
      );
    const account = {
      email: "eve@example.com",
      password: "a good long one",
      setupToken: setUpTokenOf(stage.server),
    };
    expect(await post("/auth/sign-up", account)).toBe(201);
    await page.reload();
    stage.play(chatTurn({ text: "Noted: zanzibar." }), chatTurn({ text: "Noted: timbuktu." }));
    await say(page, "Remember zanzibar");
    await answered(page);
    await expect.poll(() => copies(page), PATIENT).toContain("zanzibar");
    const { sessions } = await page.evaluate(() => fetch("/sessions").then((answer) => answer.json()));
    await page.evaluate((id) => fetch(`/sessions/${id}`, { method: "DELETE" }), sessions[0].id);
    await expect.poll(() => copies(page), PATIENT).not.toContain("zanzibar");

    await page.goto(`${stage.server.url}/#/`);
    await page.reload();
    await say(page, "Remember timbuktu");
    await answered(page);
    await expect.poll(() => copies(page), PATIENT).toContain("timbuktu");
    await page.goto(`${stage.server.url}/#/settings/account`);
    // Whoever changes their name stays.
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Eve");
    const renamed = page.waitForResponse((answer) => answer.request().method() === "PATCH");
    await page.keyboard.press("Enter");
    expect((await renamed).ok()).toBe(true);
    expect(await copies(page)).toContain("timbuktu");
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect.poll(() => copies(page), PATIENT).not.toContain("timbuktu");
    await context.close();
  });

  it("shows what is pushed while nobody looks, and a click on it leads to the conversation", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, WORKING);
    await controlled(page);
    stage.play(chatTurn({ text: "Low tide is at six." }));
    await say(page, "When is low tide?");
    await answered(page);
    const sessionId = /#\/s\/(.+)$/.exec(page.url())?.[1] ?? "";
    const devtools = await context.newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
        if (registrations[0]) resolve(registrations[0].registrationId);
      });
    });
    await devtools.send("ServiceWorker.enable");
    const registrationId = await registered;
    const push = (notice: object) =>
      devtools.send("ServiceWorker.deliverPushMessage", {
        origin: stage.server.url,
        registrationId,
        data: JSON.stringify(notice),
      });
    const [worker] = context.serviceWorkers();
    // A headless browser refuses notifications, so what would be shown is noted.
    await worker?.evaluate(() => {
      const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
      registration.showNotification = async (title, { body, tag, data } = {}) =>
        void Object.assign(globalThis, { shown: { title, body, tag, data } });
    });
    // Nobody looks at the app.
    await page.goto("about:blank");
    await push({ kind: "waiting", waitsFor: "approval", sessionId, title: "When is low tide?" });
    const shown = () => worker?.evaluate(() => (globalThis as { shown?: object }).shown);
    await expect.poll(shown, PATIENT).toEqual({
      title: "When is low tide?",
      body: "Needs your decision",
      tag: sessionId,
      data: { sessionId },
    });
    await page.goto(stage.server.url);
    await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
    await worker?.evaluate((id) => {
      const notification = { close() {}, data: { sessionId: id } };
      const waitUntil = (work: Promise<unknown>) => void work.catch(() => undefined);
      dispatchEvent(Object.assign(new Event("notificationclick"), { notification, waitUntil }));
    }, sessionId);
    await page.locator("article.answer").getByText("Low tide is at six.").waitFor();
    expect(page.url()).toContain(sessionId);
    await context.close();
  });

  it("is told nothing anymore once every kind of notification is off", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, WORKING);
    await controlled(page);
    // A headless browser has neither permissions nor a push service.
    await page.evaluate(() => {
      const subscription = {
        endpoint: "https://push.example/one",
        toJSON: () => ({
          endpoint: "https://push.example/one",
          keys: {
            p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            auth: "BTBZMqHH6r4Tts7J_aSIgg",
          },
        }),
        unsubscribe: async () => (current = null),
      };
      let current: object | null = null;
      Notification.requestPermission = async () => "granted";
      Object.assign(PushManager.prototype, {
        subscribe: async () => (current = subscription),
        getSubscription: async () => current,
      });
      location.hash = "#/settings/notifications";
    });
    const told = page.getByRole("switch", { name: "Notify me on this device" });
    await told.click();
    const kinds = ["Something needs my decision or answer", "An answer is complete", "An answer failed"];
    for (const name of kinds) {
      await expect.poll(() => told.isChecked(), PATIENT).toBe(true);
      const kind = page.getByRole("switch", { name });
      await kind.click();
      // The last one takes all of them along.
      if (name !== kinds.at(-1)) await expect.poll(() => kind.isChecked(), PATIENT).toBe(false);
    }
    await expect.poll(() => told.isChecked(), PATIENT).toBe(false);
    const subscriptions = () => page.evaluate(async () => (await fetch("/me/push")).json());
    expect(await subscriptions()).toMatchObject({ subscriptions: [] });
    await context.close();
  });

  it("takes what another program shares, below what was being written", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, WORKING);
    await controlled(page);
    await page.getByRole("textbox", { name: "Message" }).fill("What do you think of this?");
    await page.evaluate(async () => {
      const form = new FormData();
      form.set("text", "Read this");
      form.append("files", new File(["shared words"], "shared.txt", { type: "text/plain" }));
      await fetch("/share-target", { method: "POST", body: form, redirect: "manual" });
    });
    // As another program opens it.
    await page.goto("about:blank");
    await page.goto(`${stage.server.url}/#/shared`);
    await expect
      .poll(() => page.getByRole("textbox", { name: "Message" }).inputValue(), PATIENT)
      .toBe("What do you think of this?\n\nRead this");
    await page.getByText("shared.txt").first().waitFor();
    expect(await page.evaluate(() => caches.has("tackle-shared"))).toBe(false);
    await context.close();
  });
});

/** Serves the built app with the file names of another version, as after an upgrade, beside an owner without anything. */
async function serveVersions() {
  const files = loadPage(join(root, "dist/web"));
  const script =
    /src="(\/assets\/index-[^"]+\.js)"/.exec(readFileSync(join(root, "dist/web/index.html"), "utf8"))?.[1] ??
    "";
  let version = 1;
  let away = false;
  const renamed = (text: string) =>
    version === 1 ? text : text.replaceAll(script, script.replace(".js", `.v${version}.js`));
  const server = createServer(async (request, response) => {
    if (away) return response.writeHead(502).end("Bad gateway");
    const path = new URL(request.url ?? "/", "http://test").pathname;
    const wanted = path.replace(/\.v(\d+)\.js$/, ".js");
    const gone = wanted === script && path !== renamed(script);
    const file = gone ? undefined : files.get(wanted);
    if (!file) {
      const api =
        path === "/me"
          ? { id: "o", kind: "owner" }
          : { models: [], tools: [], sessions: [], settings: {}, questions: [] };
      response.writeHead(gone || path === "/me/events" ? 404 : 200, { "content-type": "application/json" });
      return response.end(JSON.stringify(api));
    }
    const answer = servePageFile(file, new Request(`http://test${path}`));
    const headers = Object.fromEntries(answer.headers);
    delete headers.etag;
    response.writeHead(200, headers);
    const body = Buffer.from(await answer.arrayBuffer());
    response.end(path === "/" || path === "/sw.js" ? renamed(body.toString()) : body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upgrade: () => void version++,
    /** From now on, a proxy in front of it answers that it is away. */
    leave() {
      away = true;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe.skipIf(!hasBrowser())("an upgrade", () => {
  it("is offered to an open page, and the next visit has it, also offline", async () => {
    const stageOnly = await openStage();
    const server = await serveVersions();
    const { page, context } = await openPage(stageOnly.browser, server.url, WORKING);
    const script = () => page.locator("script[type=module]").getAttribute("src");
    await controlled(page);
    server.upgrade();
    await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
    await page.getByText("A new version is ready.").waitFor();
    await page.getByRole("button", { name: "Reload" }).click();
    await expect.poll(script, PATIENT).toContain(".v2.js");
    await controlled(page);
    server.upgrade();
    await page.reload();
    // The page itself is never taken from the cache while the server answers.
    expect(await script()).toContain(".v3.js");
    await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
    const kept = () => page.evaluate(async () => (await caches.match("/"))?.text());
    await expect.poll(kept, PATIENT).toContain(".v3.js");
    expect(await page.getByText("A new version is ready.").count()).toBe(0);
    server.leave();
    await page.reload();
    expect(await script()).toContain(".v3.js");
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    server.close();
    await page.reload();
    expect(await script()).toContain(".v3.js");
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    await context.close();
    await stageOnly.close();
  });
});
