import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import {
  answered,
  buildWebApp,
  expectAccessible,
  openMovingPage as openPage,
  say,
} from "./support/browser.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const PATIENT = { timeout: 20_000 };
const folder = temporaryFolder();
let server: ServerProcess;
let browser: Browser;

const message = (page: Page) => page.getByRole("textbox", { name: "Message" });
const list = (page: Page) => page.getByRole("navigation", { name: "Conversations" });

async function pick(page: Page, files: { name: string; mimeType: string; buffer: Buffer }[]): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Add to the message" }).click();
  await page.getByRole("menuitem", { name: "Attach files" }).click();
  await (await chooser).setFiles(files);
}

const text = (name: string, words: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(words) });

describe.skipIf(!hasBrowser())("the first day", () => {
  beforeAll(async () => {
    buildWebApp();
    browser = await startBrowser();
    server = await startServer(folder.path, { TACKLE_FILE_LIMIT_MB: "1" });
  });
  // A draft follows the person, here into the next test.
  afterEach(() =>
    fetch(`${server.url}/me/drafts/new`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: "", attachments: [] }),
    }),
  );
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    folder.remove();
  });

  it("begins with suggestions; the one about a file opens the picker and says what to do with it", async () => {
    const { page, context, problems } = await openPage(browser, server.url);
    await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
    await page.getByText("You’re using the demo model.").waitFor();
    const suggestions = page.getByRole("list", { name: "Examples" }).getByRole("button");
    expect(await suggestions.allInnerTexts()).toEqual([
      "Time in Tokyo and Paris",
      "Build a small app",
      "Draw a flowchart",
      "Summarize a file",
    ]);
    const chooser = page.waitForEvent("filechooser");
    await suggestions.last().click();
    await (await chooser).setFiles([text("herons.txt", "Herons fish at dawn. They stand still.")]);
    await page.locator(".attachments").getByText("herons.txt").waitFor();
    expect(await message(page).inputValue()).toBe("Summarize this file.");
    await expect.poll(() => page.getByRole("button", { name: "Send", exact: true }).isEnabled()).toBe(true);
    await message(page).press("Enter");
    await page.getByText("Herons fish at dawn.").waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it("refuses files that can't be used as they are chosen, with the reason, and sends files alone", async () => {
    const { page, context } = await openPage(browser, server.url);
    await pick(page, [
      { name: "clip.mov", mimeType: "video/quicktime", buffer: Buffer.from("ftyp") },
      { name: "big.txt", mimeType: "text/plain", buffer: Buffer.alloc(1_100_000, "x") },
      { name: "tool.exe", mimeType: "", buffer: Buffer.from("MZ\0\0\0") },
      text("plan.md", "# Plan\nFish at dawn."),
    ]);
    const refused = (name: string) => page.locator(".refused-file").filter({ hasText: name });
    await refused("clip.mov").getByText("Videos aren’t supported yet.").waitFor();
    await refused("big.txt").getByText("Files can be at most 1 MB.").waitFor();
    await refused("tool.exe").getByText("This kind of file can’t be read.").waitFor();
    await expectAccessible(page);
    // A folder has a size but can't be read. The browser's own words about that are for nobody.
    await page.evaluate(() => {
      const folder = new File(["x".repeat(96)], "photos");
      folder.slice = () => {
        throw new DOMException("A requested file or directory could not be found", "NotFoundError");
      };
      const dataTransfer = new DataTransfer();
      Object.defineProperty(dataTransfer, "files", { value: [folder] });
      document.querySelector(".app")?.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
    });
    await refused("photos").getByText("If it’s a folder, choose the files in it instead.").waitFor();
    await page.route("**/files?name=*", (route) => route.abort());
    await pick(page, [text("lost.md", "Lost.")]);
    await refused("lost.md").getByText("Can’t reach the server.").waitFor();
    await page.unroute("**/files?name=*");
    await page.getByRole("button", { name: "Remove clip.mov" }).click();
    expect(await refused("clip.mov").count()).toBe(0);
    await expect.poll(() => message(page).evaluate((field) => field === document.activeElement)).toBe(true);
    await expect
      .poll(() => page.getByRole("button", { name: "Send", exact: true }).isEnabled(), PATIENT)
      .toBe(true);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator(".asked").getByText("plan.md").waitFor();
    await answered(page);
    expect(await page.locator(".refused-file").count()).toBe(0);
    expect(await page.locator(".asked-words").isVisible()).toBe(false);
    await page.getByText("plan.md has 5 words").waitFor();
    await context.close();
  });

  it("says how many files fit, by what the server says", async () => {
    const { page, context } = await openPage(browser, server.url);
    await message(page).waitFor();
    await pick(
      page,
      Array.from({ length: 22 }, (_, index) => text(`${index}.txt`, `file ${index}`)),
    );
    const refused = page.locator(".refused-file");
    await refused.getByText("2 more files").waitFor();
    expect(await refused.getByText("A message can have at most 20 files.").count()).toBe(1);
    // So many files don't push the buttons off a phone's screen.
    await page.setViewportSize({ width: 390, height: 700 });
    const send = page.getByRole("button", { name: "Send", exact: true });
    await expect.poll(async () => (await send.boundingBox())?.y, PATIENT).toBeLessThan(700);
    await context.close();
  });

  it("turns pasted text that does not fit into an attachment, whole", async () => {
    const { page, context } = await openPage(browser, server.url);
    await page.getByText("You’re using the demo model.").waitFor();
    const paste = (length: number) =>
      message(page).evaluate((field, count) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", "words ".repeat(count / 6));
        return field.dispatchEvent(
          new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
        );
      }, length);
    expect(await paste(600)).toBe(true);
    expect(await paste(120_000)).toBe(false);
    await page.locator(".attachments li:not([aria-busy])", { hasText: "Pasted text.txt" }).waitFor();
    const { files } = (await (await fetch(`${server.url}/files`)).json()) as {
      files: { name: string; size: number }[];
    };
    expect(files.find(({ name }) => name === "Pasted text.txt")?.size).toBe(120_000);
    await context.close();
  });

  it("keeps a draft for each conversation through a reload and in another browser", async () => {
    const { page, context } = await openPage(browser, server.url);
    await message(page).fill("");
    await say(page, "What time is it in Lima?");
    await answered(page);
    await message(page).fill("and in Quito?");
    await page.getByRole("button", { name: "New chat" }).click();
    await expect.poll(() => message(page).inputValue()).toBe("");
    await list(page).getByText("Draft").waitFor();
    await message(page).fill("a new thought");
    await list(page).getByRole("link", { name: /Lima/ }).click();
    await expect.poll(() => message(page).inputValue(), PATIENT).toBe("and in Quito?");
    await page.reload();
    await expect.poll(() => message(page).inputValue(), PATIENT).toBe("and in Quito?");
    const stored = async () => await (await fetch(`${server.url}/me/drafts`)).text();
    await expect.poll(stored, PATIENT).toContain("a new thought");

    const other = await openPage(browser, server.url);
    await expect.poll(() => message(other.page).inputValue(), PATIENT).toBe("a new thought");
    await other.page.goto(page.url());
    await expect.poll(() => message(other.page).inputValue(), PATIENT).toBe("and in Quito?");
    await message(other.page).press("Enter");
    await answered(other.page);
    await expect.poll(stored, PATIENT).not.toContain("Quito");
    await page.getByRole("button", { name: "New chat" }).click();
    await expect.poll(() => message(page).inputValue(), PATIENT).toBe("a new thought");
    await message(page).fill("");
    await expect.poll(stored, PATIENT).not.toContain("thought");
    await other.context.close();
    await context.close();
  });

  it("shows files that were chosen elsewhere, and takes them away once they are sent there", async () => {
    const there = await openPage(browser, server.url);
    await pick(there.page, [text("shared.md", "# Shared")]);
    await there.page.locator(".attachments li:not([aria-busy])", { hasText: "shared.md" }).waitFor();
    const drafted = async () => (await fetch(`${server.url}/me/drafts`)).text();
    await expect.poll(drafted, PATIENT).toContain("shared.md");
    const here = await openPage(browser, server.url);
    const file = here.page.locator(".attachments li", { hasText: "shared.md" });
    await file.waitFor();
    await there.page.getByRole("button", { name: "Send", exact: true }).click();
    await answered(there.page);
    await expect.poll(drafted, PATIENT).not.toContain("shared.md");
    await here.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await expect.poll(() => file.count(), PATIENT).toBe(0);
    await there.context.close();
    await here.context.close();
  });

  it("shows a draft on another device within seconds, and never over what is typed there", async () => {
    const here = await openPage(browser, server.url);
    await message(here.page).fill("");
    await say(here.page, "What time is it in Bergen?");
    await answered(here.page);
    const there = await openPage(browser, here.page.url());
    await there.page.locator(".asked").getByText("Bergen").waitFor();
    await message(here.page).fill("and in Tromsø?");
    await expect.poll(() => message(there.page).inputValue(), { timeout: 5_000 }).toBe("and in Tromsø?");
    const loaded = there.page.waitForResponse(/\/me\/drafts$/);
    await message(there.page).fill("mine");
    await message(here.page).fill("and in Bodø?");
    await loaded;
    await there.page.waitForTimeout(1_500);
    expect(await message(there.page).inputValue()).toBe("mine");

    // A list from before a draft was saved, which comes only long after it.
    const listed = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    let lists = 0;
    await there.page.route("**/me/drafts", async (route) => {
      if (++lists > 1) return route.fulfill({ status: 503 });
      const response = await route.fetch();
      listed.resolve();
      await late.promise;
      await route.fulfill({ response });
    });
    await there.page.clock.install();
    await there.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await listed.promise;
    const saved = there.page.waitForResponse((response) => response.request().method() === "PUT");
    await message(there.page).fill("mine and more");
    await saved;
    await there.page.clock.fastForward(5_000);
    const arrived = there.page.waitForResponse((response) => response.status() === 200);
    late.resolve();
    await (await arrived).finished();
    await there.page.waitForTimeout(100);
    expect(await message(there.page).inputValue()).toBe("mine and more");
    await message(here.page).fill("");
    await there.context.close();
    await here.context.close();
  });

  it("shows a new name above the conversation and on the tab, here and elsewhere at once", async () => {
    const here = await openPage(browser, server.url);
    await say(here.page, "What time is it in Oslo?");
    await answered(here.page);
    const there = await openPage(browser, here.page.url());
    await there.page.locator(".asked").getByText("Oslo").waitFor();
    const row = list(here.page).locator(".session[data-current=true]");
    await row.hover();
    await row.getByRole("button", { name: /^More: / }).click();
    await here.page.getByRole("menuitem", { name: "Rename" }).click();
    await list(here.page).locator("form input").fill("Fjord hours");
    await here.page.keyboard.press("Enter");
    for (const { page } of [here, there]) {
      await page.locator(".top-bar h1").getByText("Fjord hours").waitFor({ timeout: 5_000 });
      await list(page).getByRole("link", { name: "Fjord hours" }).waitFor();
      await expect.poll(() => page.title()).toContain("Fjord hours");
    }
    await row.hover();
    await row.getByRole("button", { name: /^More: / }).click();
    await here.page.getByRole("menuitem", { name: "Pin" }).click();
    await list(there.page).getByRole("heading", { name: "Pinned" }).waitFor({ timeout: 5_000 });
    await there.context.close();
    await here.context.close();
  });

  it("makes version 2 of the counter when it shall be green", async () => {
    const { page, context } = await openPage(browser, server.url);
    await page.getByRole("button", { name: "Build a small app" }).click();
    await answered(page);
    await page.locator("[data-part=artifact-card]").waitFor();
    await say(page, "make it green");
    await answered(page);
    const cards = page.locator("[data-part=artifact-card]");
    await cards.filter({ hasText: /version 2/i }).waitFor();
    await context.close();
  });

  it("sends a message when its files are uploaded, and leaves a file with the draft for which it was chosen", async () => {
    const { page, context } = await openPage(browser, server.url);
    let release: () => void = () => undefined;
    const hold = async () => {
      await page.unroute("**/files?name=*");
      const held = new Promise<void>((done) => {
        release = done;
      });
      await page.route("**/files?name=*", async (route) => {
        await held;
        await route.continue();
      });
    };
    await hold();
    await pick(page, [text("owls.txt", "Owls hunt at night."), text("gone.txt", "Gone.")]);
    await page.getByRole("button", { name: "Remove gone.txt" }).click();
    await say(page, "What do owls do?");
    await page.getByRole("button", { name: "Sends when the files are uploaded" }).waitFor();
    release();
    await page.locator(".asked").getByText("owls.txt").waitFor();
    expect(await page.locator(".asked .file-tile").count()).toBe(1);
    await answered(page);
    await hold();
    await pick(page, [text("late.txt", "Late.")]);
    await page.getByRole("button", { name: "New chat" }).click();
    await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
    expect(await page.locator(".attachments").count()).toBe(0);
    const stored = page.waitForResponse(/\/files\?name=late/);
    release();
    await stored;
    await list(page).getByText("Draft").first().waitFor();
    expect(await page.locator(".attachments").count()).toBe(0);
    await list(page).getByRole("link", { name: /owls/ }).first().click();
    await page.getByRole("button", { name: "Remove late.txt" }).click();
    await context.close();
  });
});
