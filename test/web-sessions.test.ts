import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, buildWebApp, expectAccessible, openPage, say } from "./support/browser.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { undoIfFailed } from "./support/tries.ts";

const folder = temporaryFolder();
const JSON_TYPE = { "content-type": "application/json" };
let server: ServerProcess;
let browser: Browser;

/** A conversation as LibreChat exports it. */
function conversation(title: string, day: number) {
  const createdAt = new Date(Date.UTC(2024, 0, 1 + day)).toISOString();
  return {
    conversationId: title,
    title,
    messages: [
      { messageId: "1", text: `Question of ${title}`, isCreatedByUser: true, createdAt },
      {
        messageId: "2",
        parentMessageId: "1",
        text: `Answer of **${title}**`,
        isCreatedByUser: false,
        createdAt,
      },
    ],
  };
}

const list = (page: Page) => page.getByRole("navigation", { name: "Conversations" });
const row = (page: Page, title: string) => list(page).getByRole("link", { name: title, exact: true });

async function choose(page: Page, name: string, text: string): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("link", { name: "Data" }).click();
  await page.getByRole("button", { name: "Import conversations" }).click();
  await (await chooser).setFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
}

async function create(title: string): Promise<{ id: string }> {
  const body = JSON.stringify({ title });
  const created = await fetch(`${server.url}/sessions`, { method: "POST", headers: JSON_TYPE, body });
  const session = (await created.json()) as { id: string };
  undoIfFailed(() => fetch(`${server.url}/sessions/${session.id}`, { method: "DELETE" }));
  return session;
}

async function inMenu(page: Page, title: string, item: string): Promise<void> {
  await row(page, title).hover();
  await list(page)
    .getByRole("button", { name: `More: ${title}`, exact: true })
    .click();
  await page.getByRole("menuitem", { name: item }).click();
}

describe.skipIf(!hasBrowser())("conversations in the web app", () => {
  beforeAll(async () => {
    buildWebApp();
    browser = await startBrowser();
    server = await startServer(folder.path);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    folder.remove();
  });

  it("imports conversations from a file, says what couldn't be read, and continues them", async () => {
    const { page, context, problems } = await openPage(browser, server.url);
    await choose(page, "notes.txt", "no JSON at all");
    await page.getByText("notes.txt isn’t a JSON file").waitFor();
    await choose(
      page,
      "conversations.json",
      JSON.stringify([conversation("Oslo", 1), { nothing: "of ours" }]),
    );
    await page.getByText("Imported 1 conversation. 1 couldn’t be read.").waitFor();
    await row(page, "Oslo").click();
    await page.getByText("Question of Oslo").waitFor();
    await page.locator("strong", { hasText: "Oslo" }).waitFor();
    await say(page, "What time is it in Oslo?");
    await answered(page);
    expect(await page.locator("article.answer").count()).toBe(2);
    await page.reload();
    await page.getByText("Question of Oslo").waitFor();
    expect(await page.locator("article.answer").count()).toBe(2);
    expect(problems.filter((problem) => !problem.includes("400"))).toEqual([]);
    await context.close();
  });

  it("exports a conversation that can be imported unchanged", async () => {
    const { page, context } = await openPage(browser, server.url);
    const saved = page.waitForEvent("download");
    await inMenu(page, "Oslo", "Export as JSON");
    const path = await (await saved).path();
    const text = readFileSync(path, "utf8");
    await choose(page, "session.json", text.replace('"title": "Oslo"', '"title": "Oslo again"'));
    await row(page, "Oslo again").click();
    await page.getByText("Question of Oslo").waitFor();
    expect(await page.locator("article.answer").count()).toBe(2);
    const inMarkdown = page.waitForEvent("download");
    await inMenu(page, "Oslo again", "Export as Markdown");
    const markdown = readFileSync(await (await inMarkdown).path(), "utf8");
    expect(markdown).toContain("Answer of **Oslo**");
    await context.close();
  });

  it("lists older conversations on demand, and pins conversations in every browser", async () => {
    const { page, context } = await openPage(browser, server.url);
    const many = Array.from({ length: 70 }, (_, index) => conversation(`Day ${index + 1}`, index));
    await choose(page, "many.json", JSON.stringify(many));
    await page.getByText("Imported 70 conversations.").waitFor();
    await row(page, "Day 70").waitFor();
    expect(await row(page, "Day 1").count()).toBe(0);
    const older = page.getByRole("button", { name: "Show older conversations" });
    await older.click();
    await row(page, "Day 1").waitFor();
    expect(await older.count()).toBe(0);
    await inMenu(page, "Day 1", "Pin");
    const pinned = list(page).locator("section", { has: page.getByRole("heading", { name: "Pinned" }) });
    await pinned.getByRole("link", { name: "Day 1", exact: true }).waitFor();
    await expectAccessible(page);

    const other = await openPage(browser, server.url);
    await row(other.page, "Day 1").waitFor();
    await inMenu(other.page, "Day 1", "Unpin");
    await list(other.page).getByRole("heading", { name: "Pinned" }).waitFor({ state: "detached" });
    await other.context.close();
    await context.close();
  });

  it("finds text in old conversations that are not listed", async () => {
    const { page, context } = await openPage(browser, server.url);
    await page.getByRole("button", { name: "Search", exact: false }).first().click();
    await page.getByRole("combobox").fill("question of day 7");
    await page.getByRole("option", { name: /^Day 7 / }).click();
    await page.locator("[data-found]", { hasText: "Question of Day 7" }).waitFor();
    await context.close();
  });

  it("shows a rename, a new conversation and a deletion of another tab or device at once", async () => {
    const { page, context } = await openPage(browser, server.url);
    // A tab of the same browser, and another browser.
    const pages = [page, await context.newPage(), (await openPage(browser, server.url)).page];
    await pages[1]?.goto(server.url);
    const { id } = await create("From afar");
    const remove = () => fetch(`${server.url}/sessions/${id}`, { method: "DELETE" });
    try {
      for (const one of pages) await row(one, "From afar").waitFor();
      await row(page, "From afar").click();
      await page.getByRole("heading", { name: "From afar" }).waitFor();
      await fetch(`${server.url}/sessions/${id}`, {
        method: "PATCH",
        headers: JSON_TYPE,
        body: '{"title":"Renamed afar"}',
      });
      for (const one of pages) await row(one, "Renamed afar").waitFor();
      await page.getByRole("heading", { name: "Renamed afar" }).waitFor();
      await expect.poll(() => page.title()).toContain("Renamed afar");
      await remove();
      for (const one of pages)
        await expect.poll(() => row(one, "Renamed afar").count(), { timeout: 20_000 }).toBe(0);
    } finally {
      await remove(); // Another try would find it twice.
      for (const one of pages) await one.context().close();
    }
  });

  it("says that the open conversation was deleted elsewhere, and keeps what was being written in it", async () => {
    const { page, context } = await openPage(browser, server.url);
    const field = page.getByRole("textbox", { name: "Message" });
    const remove = async (id: string) => {
      await fetch(`${server.url}/sessions/${id}`, { method: "DELETE" });
      await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
    };
    const first = await create("Gone soon");
    await row(page, "Gone soon").click();
    await page.getByRole("heading", { name: "Gone soon" }).waitFor();
    await field.fill("Half a thought");
    await remove(first.id);
    await page.getByText("Deleted “Gone soon”").waitFor();
    await expect.poll(() => field.inputValue()).toBe("Half a thought");

    // A new chat that has a draft keeps its own.
    const second = await create("Gone next");
    await row(page, "Gone next").click();
    await page.getByRole("heading", { name: "Gone next" }).waitFor();
    await field.fill("Another thought");
    await remove(second.id);
    await expect.poll(() => field.inputValue()).toBe("Half a thought");
    expect(await page.evaluate(() => localStorage.getItem("tackle.drafts"))).not.toContain("Another");
    await context.close();
  });

  it("shows a conversation that was created while the page connected", async () => {
    const context = await browser.newContext({ locale: "en", serviceWorkers: "block" });
    const page = await context.newPage();
    const connect = Promise.withResolvers<void>();
    await page.route("**/me/events", async (route) => {
      await connect.promise;
      await route.continue();
    });
    await page.goto(server.url);
    await list(page).getByRole("link").first().waitFor();
    const { id } = await create("In between");
    connect.resolve();
    await row(page, "In between").waitFor();
    await fetch(`${server.url}/sessions/${id}`, { method: "DELETE" });
    await context.close();
  });

  it("deletes all conversations after one question, those in the archive too", async () => {
    const { page, context } = await openPage(browser, server.url);
    for (const title of ["Listed", "Stored"]) await create(title);
    await inMenu(page, "Stored", "Archive");
    const other = await context.newPage();
    await other.goto(server.url);
    await other.getByRole("link", { name: "Listed" }).click();
    await other.waitForURL(/#.+ses_/);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("link", { name: "Data" }).click();
    await page.getByRole("button", { name: "Delete all chats" }).click();
    const question = page.getByRole("dialog", { name: "Delete all chats?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Delete all chats" }).click();
    await question.getByRole("button", { name: "Delete all chats" }).click();
    await page.getByText("All chats are deleted.").waitFor();
    await page.getByText("Your chats will show up here.").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    // The other tab leaves what no longer exists.
    await other.getByText("Your chats will show up here.").waitFor();
    await other.waitForURL(/#\/$/);
    for (const query of ["", "?archived=true"]) {
      const { sessions } = (await (await fetch(`${server.url}/sessions${query}`)).json()) as { sessions: [] };
      expect(sessions).toEqual([]);
    }
    await context.close();
  });

  it("shows messages above a dialog, where they can be used", async () => {
    const { page, context } = await openPage(browser, server.url);
    await create("Lisbon");
    await inMenu(page, "Lisbon", "Archive");
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Undo" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await row(page, "Lisbon").waitFor();
    await context.close();
  });
});
