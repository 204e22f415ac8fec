import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, buildWebApp, expectAccessible, openPage, say } from "./support/browser.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const folder = temporaryFolder();
let server: ServerProcess;
let browser: Browser;

async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {}),
  });
  return (await response.json()) as Answer;
}

const ask = (message: string, more: object = {}) =>
  call<{ sessionId: string }>("POST", "/chat", { message, stream: false, ...more });
const titles = async (path = "/sessions") =>
  (await call<{ sessions: { title: string }[] }>("GET", path)).sessions.map(({ title }) => title);
const row = (page: Page, title: string) =>
  page.getByRole("navigation").getByRole("link", { name: title, exact: true });

describe.skipIf(!hasBrowser())("finding and keeping conversations in the web app", () => {
  beforeAll(async () => {
    buildWebApp();
    browser = await startBrowser();
    server = await startServer(folder.path);
    const { sessionId } = await ask("A long talk");
    for (let turn = 0; turn < 40; turn++)
      await ask(turn === 3 ? "Where do wombats sleep at night?" : `Question ${turn}`, { sessionId });
    for (const title of ["First", "Second", "Third"]) await ask(title);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    folder.remove();
  });

  it("finds words in old messages, marks them, and jumps to the message by keyboard alone", async () => {
    const { page, context, problems } = await openPage(browser, server.url);
    await row(page, "First").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("womb sleep");
    const option = page.getByRole("option").first();
    await option.getByText("wombats").waitFor();
    expect(await option.locator("b").allTextContents()).toEqual(["wombats", "sleep"]);
    const weight = await option
      .locator("b")
      .first()
      .evaluate((found) => getComputedStyle(found).fontWeight);
    expect(weight).toBe("600");
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    const found = page.locator("[data-found]", { hasText: "Where do wombats sleep at night?" });
    await found.waitFor();
    expect(await found.evaluate((element) => element.getBoundingClientRect().top)).toBeGreaterThan(0);
    await found.waitFor({ state: "detached", timeout: 5_000 });
    expect(problems).toEqual([]);
    await context.close();
  });

  it("archives and deletes several conversations at once, and undoes it with Ctrl Z", async () => {
    const { page, context } = await openPage(browser, server.url);
    for (const title of ["First", "Second"]) await row(page, title).click({ modifiers: ["Control"] });
    await page.getByText("2 selected").waitFor();
    await page.getByRole("toolbar").getByRole("button", { name: "Archive" }).click();
    await page.getByText("Archived 2 conversations").waitFor();
    await page.getByRole("button", { name: "Archived (2)" }).waitFor();
    expect(await titles()).not.toContain("First");
    await page.keyboard.press("Control+z");
    await row(page, "First").waitFor();
    expect(await titles("/sessions?archived=true")).toEqual([]);

    await row(page, "Third").hover();
    await page.getByRole("button", { name: "More: Third" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await row(page, "Third").waitFor({ state: "detached" });
    // Nothing was sent yet, so that it can be undone.
    expect(await titles()).toContain("Third");
    await page.getByRole("button", { name: "Undo" }).click();
    await row(page, "Third").waitFor();

    await page.getByRole("button", { name: "More: Third" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByText("Deleted “Third”").waitFor();
    // Closing the page settles it.
    await page.goto("about:blank");
    await expect.poll(() => titles()).not.toContain("Third");
    await context.close();
  });

  it("lists the archive, and moves conversations back to the list", async () => {
    const { page, context } = await openPage(browser, server.url);
    await row(page, "Second").hover();
    await page.getByRole("button", { name: "More: Second" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await page.getByRole("button", { name: "Archived (1)" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Second" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Move to the list" }).click();
    await page.getByText("Conversations that you archive show up here.").waitFor();
    await page.keyboard.press("Escape");
    await row(page, "Second").waitFor();
    await context.close();
  });

  it("keeps nothing of a temporary chat, even if a request fails or the chat is left before it has begun", async () => {
    const { page, context } = await openPage(browser, server.url);
    const status = async (id = "") => (await fetch(`${server.url}/sessions/${id}`)).status;
    const idIn = (text: string) => /ses_[\w-]+/.exec(text)?.[0];
    const begin = () => page.getByRole("button", { name: "Make this chat temporary" }).click();
    const leave = async () => {
      await page.getByRole("button", { name: "New chat" }).first().click();
      await page.getByText("This chat isn’t kept.").waitFor({ state: "detached" });
    };
    await page.route("**/sessions/ses_*", (route, request) =>
      request.method() === "DELETE" ? route.abort() : route.fallback(),
    );
    let firstRequest = page.waitForRequest(/\/sessions\/ses_/);
    await begin();
    await page.getByText("This chat isn’t kept.").waitFor();
    await say(page, "Remember the platypus");
    await answered(page);
    expect(page.url()).not.toContain("ses_");
    await page.getByText("This chat isn’t kept.").waitFor();
    expect(await row(page, "Remember the platypus").count()).toBe(0);
    const first = idIn((await firstRequest).url());
    expect(await status(first)).toBe(200);
    await page.getByRole("textbox", { name: "Message" }).fill("A platypus that was not sent");
    const failed = page.waitForEvent("requestfailed", (request) => request.method() === "DELETE");
    await leave();
    await failed;
    await page.unroute("**/sessions/ses_*");
    await expect.poll(() => status(first)).toBe(404);

    const left = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<string>();
    await page.route("**/chat", async (route) => {
      const response = await route.fetch();
      sent.resolve(await response.text());
      await left.promise;
      await route.fulfill({ response });
    });
    await begin();
    await say(page, "Another platypus");
    const second = idIn(await sent.promise);
    expect(await status(second)).toBe(200);
    await leave();
    left.resolve();
    await expect.poll(() => status(second)).toBe(404);
    await page.unroute("**/chat");

    await begin();
    await context.setOffline(true);
    await page.getByText("You’re offline.").first().waitFor();
    await say(page, "A platypus without a connection");
    await page.getByText("A platypus without a connection").waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain("platypus");
    firstRequest = page.waitForRequest(/\/sessions\/ses_/);
    await context.setOffline(false);
    await answered(page);
    expect(page.url()).not.toContain("ses_");
    const third = idIn((await firstRequest).url());
    await leave();
    await expect.poll(() => status(third)).toBe(404);
    expect((await call<{ results: [] }>("GET", "/search?q=platypus")).results).toEqual([]);
    await context.close();
  });

  it("renames the open conversation from the palette", async () => {
    const { page, context, problems } = await openPage(browser, server.url);
    await row(page, "Second").click();
    await page.getByRole("heading", { name: "Second" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("rename");
    await page.getByRole("option", { name: "Rename", exact: true, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Title" }).waitFor();
    await expectAccessible(page);
    // The old title is selected, so that typing replaces it.
    await page.keyboard.type("Better");
    await page.keyboard.press("Enter");
    await row(page, "Better").waitFor();
    await page.getByRole("heading", { name: "Better" }).waitFor();
    expect(await titles()).toContain("Better");
    expect(problems).toEqual([]);
    await context.close();
  });

  it("opens all shortcuts with ?, and moves between conversations with Alt and the arrows", async () => {
    const { page, context } = await openPage(browser, server.url);
    await row(page, "First").click();
    await page.getByRole("heading", { name: "First" }).waitFor();
    await page.keyboard.press("Alt+ArrowDown");
    await page.getByRole("heading", { name: "A long talk" }).waitFor();
    await page.keyboard.press("Alt+ArrowUp");
    await page.getByRole("heading", { name: "First" }).waitFor();
    await page.keyboard.press("Control+Shift+O");
    await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("?");
    await page.getByRole("searchbox", { name: "Search shortcuts" }).fill("model");
    await page.getByText("Choose a model").waitFor();
    expect(await page.getByText("Ask again").count()).toBe(0);
    await expectAccessible(page);
    await context.close();
  });
});
