import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { ask } from "./support/accounts.ts";
import { answered, buildWebApp, expectAccessible, openPage, say } from "./support/browser.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

const folder = temporaryFolder();
let server: ServerProcess;
let browser: Browser;

describe.skipIf(!hasBrowser())("projects and memory in the web app", () => {
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

  it("makes a project, edits its instructions, takes a file, and starts a chat that searches it", async () => {
    const { page, context, problems } = await openPage(browser, server.url);
    await page.getByRole("button", { name: "Projects" }).click();
    await page.getByText("Chats, files and instructions for one piece of work.").waitFor();
    await page.getByRole("button", { name: "New project" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Lisbon office");
    await page.getByRole("button", { name: "Create project" }).click();
    await page.getByRole("heading", { level: 1, name: "Lisbon office" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Edit instructions" }).click();
    await page.getByRole("textbox", { name: "Instructions" }).fill("Prices in euros.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Prices in euros.").waitFor();
    await page.locator(".project input[type=file]:not(.composer input)").setInputFiles({
      name: "offer.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("The desks cost 1340."),
    });
    await page.getByRole("link", { name: "offer.txt" }).waitFor();
    expect(await page.getByPlaceholder("Start a chat in this project").count()).toBe(1);
    await say(page, "What do the files say about desks?");
    await answered(page);
    expect(await page.locator("[data-part=answer]").last().textContent()).toContain("offer.txt, line 1");
    expect(await page.locator(".crumb").textContent()).toContain("Lisbon office");
    expect(await page.locator(".session").count()).toBe(0);
    await page.locator(".crumb").click();
    await page.getByRole("link", { name: /What do the files say/ }).waitFor();
    await context.close();
    expect(problems).toEqual([]);
  });

  it("does with a project's conversation what can be done with any, and finds it by what was said", async () => {
    const { id: projectId } = await ask<{ id: string }>(server, "POST", "/projects", {}, { name: "Garden" });
    const message = "Say something about tulips";
    await ask(server, "POST", "/chat", {}, { message, projectId, stream: false });
    await ask(server, "POST", "/chat", {}, { message: "And about moles", projectId, stream: false });
    const { page, context, problems } = await openPage(browser, `${server.url}/#/projects/${projectId}`);
    await page.getByRole("link", { name: /tulips/ }).click();
    await page.getByRole("heading", { level: 1, name: message }).waitFor();
    await page.getByRole("button", { name: "Conversation menu" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("Bulbs");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Bulbs" }).waitFor();
    await page.locator(".crumb").click();
    await page.getByRole("searchbox").fill("tulips");
    await expect.poll(() => page.locator(".project-rows b").allTextContents()).toEqual(["Bulbs"]);
    await page.getByRole("searchbox").fill("");
    await page.getByRole("button", { name: "More: Bulbs" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await page.getByText("Archived “Bulbs”").waitFor();
    await expect.poll(() => page.locator(".project-rows b").allTextContents()).toEqual(["And about moles"]);
    await context.close();
    expect(problems).toEqual([]);
  });

  it("says that the connection is lost, and shows what could not be loaded once it is back", async () => {
    const { id } = await ask<{ id: string }>(server, "POST", "/projects", {}, { name: "Lighthouse" });
    const { page, context } = await openPage(browser, `${server.url}/#/projects`);
    await page.getByRole("link", { name: /Lighthouse/ }).waitFor();
    await context.setOffline(true);
    await page.getByText("You’re offline. Answers keep going").waitFor();
    await page.evaluate((hash) => location.assign(hash), `#/projects/${id}`);
    await page.getByPlaceholder("Start a chat in this project").waitFor();
    expect(await page.getByRole("heading", { name: "Files" }).count()).toBe(0);
    await context.setOffline(false);
    await page.getByRole("heading", { level: 1, name: "Lighthouse" }).waitFor();
    await page.getByText("Drop files anywhere on this page.").waitFor();
    await page.getByText("Chats that you start here").waitFor();
    await context.close();
  });

  it("keeps a long name inside of the bar and of dialogs", async () => {
    const name = `Move the office to Lisbon before the end of ${"x".repeat(56)}`;
    const { id } = await ask<{ id: string }>(server, "POST", "/projects", {}, { name });
    const message = { message: "Say something about desks", projectId: id, stream: false };
    const { sessionId } = await ask<{ sessionId: string }>(server, "POST", "/chat", {}, message);
    const { page, context } = await openPage(browser, `${server.url}/#/s/${sessionId}`);
    const crumb = page.locator(".crumb");
    await crumb.getByText(name).waitFor();
    expect((await crumb.boundingBox())?.height).toBeLessThanOrEqual(24);
    await crumb.click();
    await page.getByRole("button", { name: `More: ${name}` }).click();
    await page.getByRole("menuitem", { name: "Delete project" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Its 1 chat moves to your list.").waitFor();
    expect(await dialog.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 390, height: 844 });
    const middles = await page.locator(".crumbs > *").evaluateAll((parts) =>
      parts.map((part) => {
        const words = document.createRange();
        words.selectNodeContents(part);
        const { top, bottom, height } = words.getBoundingClientRect();
        return height === 0 ? undefined : (top + bottom) / 2;
      }),
    );
    const shown = middles.filter((middle) => middle !== undefined);
    expect(Math.max(...shown) - Math.min(...shown)).toBeLessThan(2);
    await context.close();
  });

  it("takes files that are dropped anywhere, and then hides the hint about that", async () => {
    const { id } = await ask<{ id: string }>(server, "POST", "/projects", {}, { name: "Harbor" });
    const { page, context } = await openPage(browser, `${server.url}/#/projects/${id}`);
    await page.getByRole("heading", { name: "Files" }).waitFor();
    for (const type of ["dragenter", "drop"])
      await page.locator(".project").evaluate((target, kind) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["Pier 4"], "piers.txt", { type: "text/plain" }));
        target.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
      }, type);
    await page.getByRole("link", { name: "piers.txt" }).waitFor();
    expect(await page.locator(".drop-hint").count()).toBe(0);
    await context.close();
  });

  it("refuses files that can't be used with the reason, and gives back one that was removed", async () => {
    const { id } = await ask<{ id: string }>(server, "POST", "/projects", {}, { name: "Shed" });
    const { page, context } = await openPage(browser, `${server.url}/#/projects/${id}`);
    const put = (name: string, mimeType: string, words: string) =>
      page
        .locator(".project input[type=file]:not(.composer input)")
        .setInputFiles({ name, mimeType, buffer: Buffer.from(words) });
    const refused = (name: string) => page.locator(".refused-file").filter({ hasText: name });
    await put("clip.mov", "video/quicktime", "ftyp");
    await refused("clip.mov").getByText("Videos aren’t supported yet.").waitFor();
    await page.route("**/files?name=*", (route) => route.abort());
    await put("lost.txt", "text/plain", "Lost.");
    await refused("lost.txt").getByText("Can’t reach the server.").waitFor();
    await page.unroute("**/files?name=*");
    await page.getByRole("button", { name: "Remove lost.txt" }).click();
    expect(await refused("lost.txt").count()).toBe(0);
    await put("hinges.txt", "text/plain", "Two hinges.");
    await page.getByRole("link", { name: "hinges.txt" }).waitFor();
    await page.getByRole("button", { name: "Remove hinges.txt" }).click();
    await expect.poll(() => page.getByRole("link", { name: "hinges.txt" }).count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: "hinges.txt" }).waitFor();
    await page.getByRole("button", { name: "Remove hinges.txt" }).click();
    await page.goto("about:blank");
    const files = async () =>
      (await ask<{ files: unknown[] }>(server, "GET", `/projects/${id}/files`)).files.length;
    await expect.poll(files).toBe(0);
    await context.close();
  });

  it("says which numbers fit, that a project is gone, and finds one among many", async () => {
    const { id } = await ask<{ id: string }>(server, "POST", "/projects", {}, { name: "Attic" });
    const { page, context } = await openPage(browser, `${server.url}/#/projects/${id}`);
    // On a window of this width the list is a drawer, also here.
    await page.setViewportSize({ width: 900, height: 800 });
    await page.getByRole("button", { name: "Show conversations" }).click();
    const drawer = page.locator(".app[data-drawer=true]");
    await drawer.waitFor();
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Edit defaults" }).click();
    await page.getByLabel("Temperature").fill("9");
    await page.getByText("Enter a number from 0 to 2.").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByLabel("Temperature").fill("0.25");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".project-defaults").getByText("0.25").waitFor();
    // Nothing follows the name of the project while its first question is refused.
    await page.route("**/chat", (route) =>
      route.fulfill({ status: 400, json: { error: "No.", code: "INVALID_INPUT" } }),
    );
    await say(page, "Hello");
    await page.locator("[data-part=problem]").waitFor();
    await page.locator(".crumb", { hasText: "Attic" }).waitFor();
    expect(await page.locator(".crumb .icon").count()).toBe(0);
    await page.unroute("**/chat");
    await page.locator(".crumb").click();
    await ask(server, "DELETE", `/projects/${id}`);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "This project isn’t here" }).waitFor();
    await expectAccessible(page);
    for (const name of ["A", "B", "C", "D", "E", "F", "G", "Café"])
      await ask(server, "POST", "/projects", {}, { name });
    await page.getByRole("link", { name: "See all projects" }).click();
    await page.getByRole("searchbox", { name: /^Search \d+ projects$/ }).fill("cafe");
    await expect.poll(() => page.locator(".project-rows b").allTextContents()).toEqual(["Café"]);
    await context.close();
  });

  it("moves a conversation into a project and out again, and deletes the project with one question", async () => {
    const { sessionId } = await ask<{ sessionId: string }>(
      server,
      "POST",
      "/chat",
      {},
      {
        message: "Hello there",
        stream: false,
      },
    );
    const { page, context, problems } = await openPage(browser, server.url);
    await page.getByRole("button", { name: /^More: Hello there/ }).click();
    await page.getByRole("menuitem", { name: "Move to project" }).click();
    await page.getByRole("button", { name: "Lisbon office" }).click();
    await expect.poll(() => page.locator(".session").count()).toBe(0);
    await page.getByText("Chats that aren’t in a project show up here.").waitFor();
    const moved = await ask<{ projectId?: string }>(server, "GET", `/sessions/${sessionId}`);
    expect(moved.projectId).toMatch(/^prj_/);
    await page.getByRole("button", { name: "Projects" }).click();
    await page.getByRole("link", { name: /Lisbon office/ }).click();
    await page.getByRole("link", { name: /Hello there/ }).waitFor();
    await page.getByRole("button", { name: "More: Lisbon office" }).click();
    await page.getByRole("menuitem", { name: "Delete project" }).click();
    await page.getByText("Its 2 chats move to your list.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete project" }).click();
    await expect.poll(() => page.locator(".session").count()).toBe(2);
    await context.close();
    expect(problems).toEqual([]);
  });

  it("remembers what it is told, shows where it was used, and forgets it", async () => {
    const { page, context, problems } = await openPage(browser, server.url);
    await say(page, "Remember that I like short answers");
    await answered(page);
    await page.getByRole("button", { name: "New chat" }).first().click();
    await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
    await say(page, "What do you remember about me?");
    await answered(page);
    await page.getByRole("button", { name: "Used 1 thing it remembers" }).click();
    await page.locator(".memory-used a", { hasText: "I like short answers" }).click();
    await page.getByRole("heading", { name: "Memory" }).waitFor();
    await page.getByText(/^From “/).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Edit “I like short answers”" }).click();
    await page.getByRole("textbox", { name: "What to remember" }).fill("I like long answers");
    await page.keyboard.press("Enter");
    await page.getByText(/^Written by you/).waitFor();
    const edit = page.getByRole("button", { name: "Edit “I like long answers”" });
    await expect.poll(() => edit.evaluate((button) => button === document.activeElement)).toBe(true);
    const lines = async () => (await ask<{ lines: unknown[] }>(server, "GET", "/me/memory")).lines.length;
    // What is changed elsewhere is there without a reload.
    type Memory = { lines: { id: string; text: string }[] };
    const added = await ask<Memory>(server, "PATCH", "/me/memory", {}, { text: "I like trains" });
    await page.getByText("I like trains").waitFor();
    const trains = added.lines.find(({ text }) => text === "I like trains");
    await ask(server, "DELETE", `/me/memory/${trains?.id}`);
    await expect.poll(() => page.getByText("I like trains").count()).toBe(0);
    await ask(server, "PUT", "/me/settings", {}, { settings: { web: { theme: "dark" } } });
    await page.locator("html[data-theme=dark]").waitFor();
    const forget = page.getByRole("button", { name: "Forget “I like long answers”" });
    await forget.click();
    await page.getByText("Nothing yet.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await forget.waitFor();
    expect(await lines()).toBe(1);
    await forget.click();
    await page.goto("about:blank");
    await expect.poll(lines).toBe(0);
    await context.close();
    expect(problems).toEqual([]);
  });
});
