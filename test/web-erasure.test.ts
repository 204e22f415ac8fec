import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, startWithProfile } from "../src/tools/artifacts/testing/chromium.ts";
import { ask } from "./support/accounts.ts";
import { answered, buildWebApp, say } from "./support/browser.ts";
import { Words } from "./support/planted.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const PATIENT = { timeout: 20_000 };
const folder = temporaryFolder();
const profile = join(folder.path, "profile");
const words = new Words();
let server: ServerProcess;

/** Everything that scripts of the page can store in the browser. */
function storedIn(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const cached = await Promise.all(
      (await caches.keys()).map(async (name) =>
        name.startsWith("tackle-shell-") ? [] : readCache(await caches.open(name)),
      ),
    );
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, databases, cached]);

    async function readCache(cache: Cache): Promise<string[]> {
      const kept = await cache.matchAll();
      return Promise.all(kept.map(async (response) => response.url + (await response.text())));
    }
  });
}

/** The doors whose words are in the profile. What the browser itself keeps as history belongs to the person. */
function keptInProfile(): string[] {
  const files = readdirSync(profile, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files
    .filter(
      ({ name }) => !/^(History|Favicons|Session|Tabs|Top Sites|Visited|Shortcuts|Network Action)/.test(name),
    )
    .flatMap(({ parentPath, name }) =>
      words.foundIn(readFileSync(join(parentPath, name))).map((door) => `${name}: ${door}`),
    );
}

describe.skipIf(!hasBrowser())("what the browser keeps", () => {
  beforeAll(async () => {
    buildWebApp();
    server = await startServer(join(folder.path, "data"));
  });
  afterAll(async () => {
    await server?.stop();
    folder.remove();
  });

  it("nothing of a conversation stays in it, whichever door deletes the conversation", async () => {
    let context = await startWithProfile(profile);
    let page = await context.newPage();
    await page.goto(server.url);
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Add to the message" }).click();
    await page.getByRole("menuitem", { name: "Attach files" }).click();
    const buffer = Buffer.from(`Notes ${words.of("attachment")} `.repeat(100));
    await (await chooser).setFiles({ name: "notes.txt", mimeType: "text/plain", buffer });
    // A message can't be sent while its file is on its way.
    await page.getByRole("button", { name: "Remove notes.txt" }).waitFor();
    await say(page, `Hello ${words.of("message")}`);
    await answered(page);
    // The newest conversations can be read offline. Files are not copied.
    await expect.poll(async () => words.foundIn(await storedIn(page)), PATIENT).toEqual(["message"]);
    const { files } = await ask<{ files: { url: string }[] }>(server, "GET", "/files");
    const loaded = await page.evaluate(
      (url) => fetch(url).then((answer) => answer.text()),
      files[0]?.url ?? "",
    );
    expect(words.foundIn(loaded)).toEqual(["attachment"]);
    await context.close();

    const { sessions } = await ask<{ sessions: { id: string }[] }>(server, "GET", "/sessions");
    await ask(server, "DELETE", `/sessions/${sessions[0]?.id}`);
    context = await startWithProfile(profile);
    page = await context.newPage();
    await page.goto(server.url);
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    expect(words.foundIn(await page.content())).toEqual([]);
    await expect.poll(async () => words.foundIn(await storedIn(page)), PATIENT).toEqual([]);
    expect((await fetch(server.url + (files[0]?.url ?? ""))).status).toBe(404);
    await context.close();
    expect(keptInProfile()).toEqual([]);
  });
});
