import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../src/protocol/sessions.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import type { Frame, Turn } from "../src/sim/turn.ts";
import { chatTurn, errorTurn, jsonTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { ask } from "./support/accounts.ts";
import { answered, buildWebApp, expectAccessible, openPage, say } from "./support/browser.ts";
import { isLong } from "./support/long.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, firstEvent } from "./support/sse.ts";

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const folder = temporaryFolder();
let upstream: Upstream;
let server: ServerProcess;
let browser: Browser;
const turns: Turn[] = [];
const play = (...next: Turn[]) => void turns.push(...next);

describe.skipIf(!hasBrowser())("branches in the web app", () => {
  beforeAll(async () => {
    buildWebApp();
    browser = await startBrowser();
    upstream = await startUpstream({
      respond: ({ method }) =>
        method === "GET" ? jsonTurn({ object: "list", data: [] }) : (turns.shift() ?? errorTurn(500)),
    });
    server = await startServer(folder.path, modelAt(upstream.url));
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await upstream?.close();
    folder.remove();
  });

  it("sends an edited message as a new version, and switches between versions, also after a reload", async () => {
    const { page, context, problems } = await openPage(browser, server.url);
    await converse(page, ["one", "First answer."], ["two", "Second answer."]);
    await page.getByRole("textbox", { name: "Message" }).fill("half a thought");
    const [first] = await page.locator(".asked").all();
    await first?.hover();
    await first?.getByRole("button", { name: "Edit and ask again" }).click();
    const field = first?.getByRole("textbox", { name: "Edit message" });
    expect(await field?.inputValue()).toBe("one");
    await first?.getByText("Sends a new version. The old one stays.").waitFor();
    await expectAccessible(page);
    await page.keyboard.type(", thrown away");
    await page.keyboard.press("Escape");
    expect(await texts(page)).toEqual(["one", "First answer.", "two", "Second answer."]);
    expect(await focused(page)).toBe("Edit and ask again");
    await page.keyboard.press("Enter");
    expect(await field?.inputValue()).toBe("one");
    expect(await focused(page)).toBe("Edit message");
    await field?.fill("one, changed");
    play(chatTurn({ text: "Another first answer." }));
    await page.keyboard.press("Enter");
    await page.getByText("Another first answer.").waitFor();
    await answered(page);
    expect(await texts(page)).toEqual(["one, changed", "Another first answer."]);
    // What appears in the message field has nothing to do with it.
    const message = page.getByRole("textbox", { name: "Message" });
    expect(await message.inputValue()).toBe("half a thought");
    expect(await focused(page)).toBe("Message");
    expect(await versions(page)).toEqual(["2/2"]);
    await page.getByRole("button", { name: "Previous version" }).click();
    await page.getByText("Second answer.").waitFor();
    expect(await texts(page)).toEqual(["one", "First answer.", "two", "Second answer."]);
    await page.getByText("Version 1 of 2").first().waitFor({ state: "attached" });
    await page.reload();
    await page.getByText("Second answer.").waitFor();
    expect(await versions(page)).toEqual(["1/2"]);
    await expectAccessible(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("adds a new version of an answer, and sends the model only the messages before it", async () => {
    const { page, context } = await openPage(browser, server.url);
    await converse(page, ["one", "First answer."], ["two", "Second answer."]);
    play(chatTurn({ text: "A better second answer." }));
    await page.getByRole("button", { name: "Ask again", exact: true }).last().click();
    await page.getByText("A better second answer.").waitFor();
    await answered(page);
    expect(await texts(page)).toEqual(["one", "First answer.", "two", "A better second answer."]);
    expect(await versions(page)).toEqual(["2/2"]);
    expect(JSON.stringify(upstream.requests.at(-1)?.body)).not.toContain("Second answer.");
    await converse(page, ["three", "Third."]);
    await page.getByRole("button", { name: "Previous version" }).click();
    await expect.poll(() => texts(page)).toEqual(["one", "First answer.", "two", "Second answer."]);
    await page.getByRole("button", { name: "Next version" }).click();
    await expect.poll(async () => (await texts(page)).at(-1)).toBe("Third.");
    await context.close();
  });

  it("switches versions by keyboard, and keeps the focus and the scroll position", async () => {
    const { page, context } = await openPage(browser, server.url);
    await converse(page, ["one", "Line.\n\n".repeat(40)], ["two", "Short."]);
    play(chatTurn({ text: "Long. ".repeat(900) }));
    await page.getByRole("button", { name: "Ask again", exact: true }).last().click();
    await answered(page);
    await converse(page, ["three", "More.\n\n".repeat(60)]);
    const previous = page.getByRole("button", { name: "Previous version" });
    await previous.scrollIntoViewIfNeeded();
    await previous.focus();
    const before = await place(page);
    await page.keyboard.press("Enter");
    await expect.poll(() => versions(page)).toEqual(["1/2"]);
    expect(await previous.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => versions(page)).toEqual(["2/2"]);
    expect(await previous.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(Math.abs((await place(page)) - before)).toBeLessThan(3);
    await context.close();
  });

  it("keeps writing an answer while another version is shown, and leads back to it", async () => {
    const { page, context } = await openPage(browser, server.url);
    await converse(page, ["one", "First answer."]);
    const { turn, release } = heldTurn("A better one, ", "at last.");
    play(turn);
    await page.getByRole("button", { name: "Ask again", exact: true }).click();
    await page.getByText("A better one,").waitFor();
    expect(await versions(page)).toEqual(["2/2"]);
    await page.getByRole("button", { name: "Previous version" }).click();
    await page.getByText("An answer is being written in another version.").waitFor();
    expect(await texts(page)).toEqual(["one", "First answer."]);
    expect(await page.getByRole("button", { name: "Stop" }).isVisible()).toBe(true);
    const second = await context.newPage();
    await second.goto(page.url());
    await second.getByText("An answer is being written in another version.").waitFor();
    await second.close();
    await page.getByRole("button", { name: "Show answer" }).click();
    await page.getByText("A better one,").waitFor();
    await page.getByRole("button", { name: "Previous version" }).click();
    await page.getByText("First answer.").waitFor();
    release();
    await page.getByText("An answer is being written in another version.").waitFor({ state: "detached" });
    expect(await texts(page)).toEqual(["one", "First answer."]);
    await page.getByRole("button", { name: "Next version" }).click();
    await expect.poll(() => texts(page)).toEqual(["one", "A better one, at last."]);
    await context.close();
  });

  it.skipIf(!isLong)(
    "switches versions in other visible tabs too, also while an answer is being written",
    async () => {
      const soon = { timeout: 10_000 };
      const { page, context } = await openPage(browser, server.url);
      await converse(page, ["one", "First answer."]);
      const second = await context.newPage();
      await second.goto(page.url());
      await second.getByText("First answer.").waitFor();
      const { turn, release } = heldTurn("A better one, ", "at last.");
      play(turn);
      await page.getByRole("button", { name: "Ask again", exact: true }).click();
      await second.getByText("A better one,").waitFor();
      await page.getByRole("button", { name: "Previous version" }).click();
      await expect.poll(() => texts(second), soon).toEqual(["one", "First answer."]);
      await second.getByText("An answer is being written in another version.").waitFor();
      release();
      await second.getByText("An answer is being written in another version.").waitFor({ state: "detached" });
      await second.getByRole("button", { name: "Next version" }).click();
      for (const tab of [page, second]) {
        await expect.poll(() => texts(tab), soon).toEqual(["one", "A better one, at last."]);
        expect(await versions(tab)).toEqual(["2/2"]);
      }
      await page.getByRole("button", { name: "Previous version" }).click();
      for (const tab of [page, second]) {
        await expect.poll(() => texts(tab), soon).toEqual(["one", "First answer."]);
        expect(await versions(tab)).toEqual(["1/2"]);
      }
      await context.close();
    },
  );

  it("shows an edit in another tab, and keeps ‹2/2› after a reload during the answer", async () => {
    const { page, context } = await openPage(browser, server.url);
    await converse(page, ["one", "First answer."]);
    const second = await context.newPage();
    await second.goto(page.url());
    await second.getByText("First answer.").waitFor();
    const { turn, release } = heldTurn("Half of it, ", "all of it.");
    play(turn);
    await page.getByRole("button", { name: "Ask again", exact: true }).click();
    await second.getByText("Half of it,").waitFor();
    await page.reload();
    await page.getByText("Half of it,").waitFor();
    for (const tab of [page, second]) await expect.poll(() => versions(tab)).toEqual(["2/2"]);
    release();
    for (const tab of [page, second]) {
      await answered(tab);
      await expect.poll(() => texts(tab)).toEqual(["one", "Half of it, all of it."]);
      expect(await versions(tab)).toEqual(["2/2"]);
    }
    await context.close();
  });

  it("continues from the version on the screen, also when another tab shows another one", async () => {
    const { page, context } = await openPage(browser, server.url);
    await converse(page, ["one", "First answer."]);
    play(chatTurn({ text: "Another answer." }));
    await page.getByRole("button", { name: "Ask again", exact: true }).click();
    await page.getByText("Another answer.").waitFor();
    await answered(page);
    const elsewhere = await openPage(browser, page.url());
    await elsewhere.page.getByRole("button", { name: "Previous version" }).click();
    await elsewhere.page.getByText("First answer.").waitFor();
    await converse(page, ["two", "Second answer."]);
    expect(await texts(page)).toEqual(["one", "Another answer.", "two", "Second answer."]);
    expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain("Another answer.");
    await elsewhere.context.close();
    await context.close();
  });

  it("restores everything when the server rejects an edited message", async () => {
    const { page, context } = await openPage(browser, server.url);
    await converse(page, ["one", "First answer."]);
    await page.route("**/chat", (route) =>
      route.fulfill({
        status: 429,
        json: { error: "Too many.", code: "RATE_LIMITED", requestId: "r", retryable: true, retryAfter: 60 },
      }),
    );
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("Message");
    await page.keyboard.press("ArrowUp");
    const field = page.getByRole("textbox", { name: "Edit message" });
    await field.fill("one, changed");
    await page.keyboard.press("Enter");
    await page.getByText("Too many.").waitFor();
    // It comes back when the limits have been read again.
    await expect.poll(() => field.inputValue()).toBe("one, changed");
    await page.getByText("First answer.").waitFor();
    await page.unroute("**/chat");
    play(chatTurn({ text: "Taken." }));
    await page.locator(".asked").getByRole("button", { name: "Send" }).click();
    await page.getByText("Taken.").waitFor();
    expect(await texts(page)).toEqual(["one, changed", "Taken."]);
    await context.close();
  });

  it("fits a phone, in German, in light and in dark", async () => {
    const { page, context } = await openPage(browser, server.url, { ...PHONE, locale: "de" });
    const expectReadable = async () => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await expectAccessible(page);
      }
    };
    play(
      chatTurn({ text: "Eine Antwort." }),
      chatTurn({ text: "Noch eine." }),
      chatTurn({ text: "Anders." }),
    );
    await page.getByRole("textbox", { name: "Nachricht" }).fill("eine Frage");
    await page.getByRole("button", { name: "Senden" }).tap();
    await answered(page);
    await page.getByRole("button", { name: "Noch einmal fragen" }).tap();
    await page.getByText("Noch eine.").waitFor();
    await answered(page);
    await page.locator(".asked").getByRole("button", { name: "Mehr" }).tap();
    await page.getByRole("menuitem", { name: "Bearbeiten und neu fragen" }).tap();
    await page.getByText("Sendet eine neue Version. Die alte bleibt.").waitFor();
    await expectReadable();
    const form = page.locator(".asked form");
    for (const button of await form.getByRole("button").all())
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await form.getByRole("textbox", { name: "Nachricht bearbeiten" }).fill("eine andere Frage");
    await form.getByRole("button", { name: "Senden" }).tap();
    await page.getByText("Anders.").waitFor();
    await answered(page);
    await page.getByRole("button", { name: "Vorherige Version" }).tap();
    await page.getByText("Noch eine.").waitFor();
    expect(await versions(page)).toEqual(["1/2", "2/2"]);
    for (const button of await page.locator(".versions button").all())
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(24);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await expectReadable();
    await context.close();
  });

  it("loads earlier messages on scrolling up, and keeps the scroll position", async () => {
    let sessionId: string | undefined;
    for (let count = 1; count <= 45; count++) {
      play(chatTurn({ text: `Answer ${count}.` }));
      const events = await chat(server.url, {
        message: `question ${count}`,
        ...(sessionId && { sessionId }),
      });
      sessionId = firstEvent(events, "session").sessionId;
    }
    const { page, context } = await openPage(browser, `${server.url}/#/s/${sessionId}`);
    await page.getByText("Answer 45.").waitFor();
    expect(await page.locator(".asked").count()).toBe(30);
    const first = page.getByText("question 16", { exact: true });
    await page.locator(".log").evaluate((log) => {
      log.scrollTop = 0;
    });
    await page.locator(".asked").getByText("question 1", { exact: true }).waitFor({ state: "attached" });
    expect(await page.locator(".asked").count()).toBe(45);
    await expect.poll(async () => (await first.boundingBox())?.y ?? -1).toBeGreaterThan(0);
    expect((await first.boundingBox())?.y).toBeLessThan(300);
    await context.close();
  });

  it.skipIf(!isLong)(
    "renders a limited number of messages while reading back, and leads to the end again",
    async () => {
      const messages = Array.from({ length: 500 }, (_, at) => ({
        id: `m${at}`,
        role: at % 2 === 0 ? "user" : "assistant",
        content: `Message ${at}.`,
        ...(at === 0 ? {} : { parentId: `m${at - 1}` }),
      }));
      const file = { format: "tackle.session", session: { title: "A long one" }, messages };
      const { sessions } = await ask<{ sessions: Session[] }>(server, "POST", "/sessions/import", {}, file);
      const { page, context } = await openPage(browser, `${server.url}/#/s/${sessions[0]?.id}`);
      await page.getByText("Message 499.").waitFor();
      const articles = page.locator(".log article");
      expect(await articles.count()).toBe(60);
      const scrollTo = (end: "top" | "bottom") =>
        page.locator(".log").evaluate((log, to) => {
          log.scrollTop = to === "top" ? 0 : log.scrollHeight;
        }, end);
      await expect
        .poll(
          async () => {
            await scrollTo("top");
            return page.getByText("Message 0.", { exact: true }).count();
          },
          { timeout: 20_000 },
        )
        .toBe(1);
      expect(await articles.count()).toBe(240);
      expect(await page.getByText("Message 499.").count()).toBe(0);
      await scrollTo("bottom");
      await page.getByText("Message 299.", { exact: true }).waitFor({ state: "attached" });
      expect(await page.getByText("Message 0.", { exact: true }).count()).toBe(1);
      await page.getByRole("button", { name: "Scroll to the end" }).click();
      await expect.poll(() => page.getByText("Message 499.").isVisible()).toBe(true);
      await context.close();
    },
  );
});

async function converse(page: Page, ...said: [string, string][]): Promise<void> {
  for (const [question, answer] of said) {
    play(chatTurn({ text: answer }));
    await say(page, question);
    await page.locator(".asked", { hasText: question }).last().waitFor();
    await answered(page);
  }
}

/** Returns all messages on the page, in order. */
async function texts(page: Page): Promise<string[]> {
  return (await page.locator(".asked p, .answer .prose").allTextContents()).map((text) => text.trim());
}

function versions(page: Page): Promise<string[]> {
  return page
    .locator(".versions > span[aria-hidden]")
    .evaluateAll((found) => found.map((one) => one.textContent.replaceAll(" ", "")));
}

/** Returns the name of what has the focus. */
function focused(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
}

/** Returns the picker's distance from the top of the window. */
function place(page: Page): Promise<number> {
  return page.locator(".versions").evaluate((element) => element.getBoundingClientRect().top);
}

/** An answer whose second half waits until the test releases it. */
function heldTurn(first: string, second: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const chunk = (delta: object, finish_reason: string | null = null): Frame => ({
    json: { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] },
  });
  const frames: Frame[] = [
    chunk({ role: "assistant", content: first }),
    { hold: promise },
    chunk({ content: second }),
    chunk({}, "stop"),
    "data: [DONE]\n\n",
  ];
  return { turn: { frames }, release: resolve };
}
