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

  it("keeps nothing of a temporary chat", async () => {
    const { page, context } = await openPage(browser, server.url);
    await page.getByRole("button", { name: "Make this chat temporary" }).click();
    await page.getByText("This chat isn’t kept.").waitFor();
    await say(page, "Remember the platypus");
    await answered(page);
    expect(page.url()).not.toContain("ses_");
    await page.getByText("This chat isn’t kept.").waitFor();
    expect(await row(page, "Remember the platypus").count()).toBe(0);
    const { sessionId } = await page.evaluate(async () => {
      const events = performance.getEntriesByType("resource").map(({ name }) => name);
      return { sessionId: /ses_[\w-]+/.exec(events.join(" "))?.[0] };
    });
    const status = async () => (await fetch(`${server.url}/sessions/${sessionId}`)).status;
    if (sessionId !== undefined) expect(await status()).toBe(200);
    await page.getByRole("button", { name: "New chat" }).first().click();
    await page.getByText("This chat isn’t kept.").waitFor({ state: "detached" });
    if (sessionId !== undefined) await expect.poll(status).toBe(404);
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
