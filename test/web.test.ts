import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import type { Frame, Turn } from "../src/sim/turn.ts";
import { chatTurn, errorTurn, jsonTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import {
  answered,
  buildWebApp,
  choose,
  expectAccessible,
  openMovingPage as openPage,
  openSteps,
  say,
} from "./support/browser.ts";
import { startLine } from "./support/line.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { undoIfFailed } from "./support/tries.ts";

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const folder = temporaryFolder();
const workspace = temporaryFolder();
const notes = join(workspace.path, "notes.txt");
let upstream: Upstream;
let server: ServerProcess;
let browser: Browser;
/** The model's next turns. A request for the list of models is not a turn. */
const turns: Turn[] = [];
const play = (...next: Turn[]) => void turns.push(...next);
const questions = () => upstream.requests.filter(({ method }) => method === "POST");

describe.skipIf(!hasBrowser())("the web app", () => {
  beforeAll(async () => {
    buildWebApp();
    browser = await startBrowser();
    upstream = await startUpstream({
      respond: ({ method }) =>
        method === "GET" ? jsonTurn({ object: "list", data: [] }) : (turns.shift() ?? errorTurn(500)),
    });
    server = await startServer(folder.path, { ...modelAt(upstream.url), TACKLE_ROOTS: workspace.path });
  });
  beforeEach(() => void turns.splice(0));
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await upstream?.close();
    folder.remove();
    workspace.remove();
  });

  it("shows an answer as it streams, with Markdown and without errors on the page", async () => {
    const { page, context, problems } = await openPage(browser, server.url);
    const { turn, release } = heldTurn("# Heading\n\nSome **bold** text", " and `code`.\n\n- one\n- two\n");
    play(turn);
    await say(page, "tell me");
    await page.getByRole("heading", { name: "Heading" }).waitFor();
    await page.locator("strong", { hasText: "bold" }).waitFor();
    expect(await page.locator(".log").getAttribute("aria-busy")).toBe("true");
    expect(await page.getByRole("log").locator("li").count()).toBe(0);
    release();
    await answered(page);
    expect(await page.locator(".prose li").allTextContents()).toEqual(["one", "two"]);
    await page.getByText("Answer complete").waitFor({ state: "attached" });
    expect(page.url()).toMatch(/#\/s\/ses_/);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("stops the answer and its request to the model", async () => {
    const { page, context } = await openPage(browser, server.url);
    const { turn } = heldTurn("Once upon a time", " never said");
    play(turn);
    await say(page, "a story");
    await page.getByText("Once upon a time").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("You stopped this answer.", { exact: true }).waitFor();
    await answered(page);
    const request = questions().at(-1);
    await request?.ended;
    expect(request?.aborted).toBe(true);
    expect(await page.getByText("never said").count()).toBe(0);
    await context.close();
  });

  it("continues after a reload during an answer, and shows the same in a second tab", async () => {
    const { page, context } = await openPage(browser, server.url);
    const { turn, release } = heldTurn("First half, ", "second half.");
    play(turn);
    await say(page, "both halves please");
    await page.getByText("First half,").waitFor();
    await page.reload();
    await page.getByText("First half,").waitFor();
    const second = await context.newPage();
    await second.goto(page.url());
    await second.getByText("First half,").waitFor();
    release();
    for (const tab of [page, second]) {
      await answered(tab);
      expect(await tab.locator(".prose").allTextContents()).toEqual(["First half, second half."]);
      expect(await tab.locator(".asked").count()).toBe(1);
    }
    await context.close();
  });

  it("says that the connection is lost, and continues without a missing or doubled word", async () => {
    const line = await startLine(server.url);
    const { page, context } = await openPage(browser, line.url);
    const { turn, release } = heldTurn("Before the cut, ", "after it.");
    play(turn);
    await say(page, "both sides of it");
    await page.getByText("Before the cut,").waitFor();
    line.cut();
    await page.getByText("Can’t reach the server.").waitFor();
    release();
    line.mend();
    await answered(page);
    expect(await page.locator(".prose").allTextContents()).toEqual(["Before the cut, after it."]);
    expect(await page.getByText("Can’t reach the server.").count()).toBe(0);
    await context.close();
    await line.close();
  });

  it("shows what another tab asked in the same conversation", async () => {
    const { page, context } = await openPage(browser, server.url);
    play(chatTurn({ text: "One." }), chatTurn({ text: "Two." }));
    await say(page, "first");
    await page.getByText("One.").waitFor();
    const second = await context.newPage();
    await second.goto(page.url());
    await second.getByText("One.").waitFor();
    await say(second, "second");
    await page.getByText("Two.").waitFor();
    expect(await page.locator(".asked").count()).toBe(2);
    await context.close();
  });

  it('asks before a change in every tab, shows the diff, and "once" applies once', async () => {
    writeFileSync(notes, "hello\n");
    const { page, context } = await openPage(browser, server.url);
    const elsewhere = await context.newPage();
    await elsewhere.goto(server.url);
    await elsewhere.getByRole("heading", { name: "What are you working on?" }).waitFor();
    play(writeCall("changed\n"), chatTurn({ text: "It is written." }));
    await say(page, "change it");
    await elsewhere.locator(".banner", { hasText: "needs your decision" }).getByRole("button").click();
    await elsewhere.getByRole("button", { name: / once$/ }).waitFor();
    await page.locator(".diff-removed", { hasText: "hello" }).waitFor();
    expect(await page.locator(".diff-added").last().textContent()).toContain("changed");
    const second = await context.newPage();
    await second.goto(page.url());
    await second.getByRole("button", { name: / once$/ }).waitFor();
    await expectAccessible(second);
    await second.getByRole("button", { name: / once$/ }).click();
    for (const tab of [page, second, elsewhere]) await tab.getByText("It is written.").waitFor();
    expect(readFileSync(notes, "utf8")).toBe("changed\n");
    await openSteps(page);
    const card = page.locator("[data-tool=filesystem]");
    expect(await card.getAttribute("data-status")).toBe("succeeded");
    await card.getByRole("button", { name: "Details" }).click();
    await card.locator("pre", { hasText: '"operation"' }).waitFor();
    await context.close();
  });

  it("accepts a denial and sends its reason to the model", async () => {
    writeFileSync(notes, "hello\n");
    const { page, context } = await openPage(browser, server.url);
    play(writeCall("changed\n"), chatTurn({ text: "Then not." }));
    await say(page, "change it");
    const deny = page.getByRole("button", { name: "Don’t change" });
    await deny.waitFor();
    const field = page.getByPlaceholder("Reply, or tell Tackle what to do instead");
    await field.fill("it is my shopping list");
    await field.press("ControlOrMeta+Enter");
    await page.locator("[data-part=queue]", { hasText: "it is my shopping list" }).waitFor();
    await deny.click();
    await page.getByText("Then not.").waitFor();
    expect(readFileSync(notes, "utf8")).toBe("hello\n");
    expect(JSON.stringify(questions().at(-1)?.body)).toContain("it is my shopping list");
    await page.getByRole("button", { name: /^You didn’t allow changing notes\.txt/ }).click();
    expect(await page.locator("[data-tool=filesystem]").getAttribute("data-status")).toBe("failed");
    await context.close();
  });

  it("shows an artifact while it is built, and runs it in the waiting frame", async () => {
    const { page, context, problems } = await openPage(browser, server.url, {
      viewport: { width: 1440, height: 900 },
    });
    const code = 'export default function Hello() {\n  return <h1 className="text-2xl">Hello from';
    const { turn, release } = heldTurn(code, " the frame</h1>;\n}\n");
    play(
      chatTurn({ calls: [{ name: "generate_artifact", arguments: { type: "react", prompt: "say hello" } }] }),
      turn,
      chatTurn({ text: "There it is." }),
    );
    await say(page, "make a greeting");
    await page.locator(".artifact-card", { hasText: "Building…" }).waitFor();
    const frame = page.locator(".artifact-panel iframe");
    expect(await frame.getAttribute("src")).toBe("/artifacts/frame");
    await page.frameLocator(".artifact-panel iframe").locator("#root").waitFor({ state: "attached" });
    // A frame that has not loaded its libraries when the artifact is finished shows the artifact's own page instead.
    await page.locator(".artifact-panel iframe[data-ready=true]").waitFor({ state: "attached" });
    await page.getByRole("tab", { name: "Code" }).click();
    await page.locator(".editor", { hasText: "Hello from" }).waitFor();
    await page.getByRole("tab", { name: "Preview" }).click();
    release();
    await page.frameLocator(".artifact-panel iframe").getByText("Hello from the frame").waitFor();
    await answered(page);
    expect(await frame.getAttribute("src")).toBe("/artifacts/frame");
    expect(problems).toEqual([]);
    await context.close();
  });

  it("shows short reasoning only on demand", async () => {
    const { page, context } = await openPage(browser, server.url);
    play(chatTurn({ reasoning: "Let me see what this is about.", text: "Done." }));
    await say(page, "think");
    await answered(page);
    expect(await page.locator(".steps").count()).toBe(0);
    await openSteps(page);
    await page.getByText("Let me see what this is about.").waitFor();
    await page.getByRole("button", { name: /^Thought for/, expanded: true }).click();
    expect(await page.getByText("Let me see what this is about.").count()).toBe(0);
    await context.close();
  });

  it("says what went wrong and tries again", async () => {
    const { page, context } = await openPage(browser, server.url);
    play(errorTurn(401, { message: "wrong key" }));
    await say(page, "hello?");
    await page.locator("[aria-live=assertive]", { hasText: "Answer failed" }).waitFor({ state: "attached" });
    await answered(page);
    const problem = page.locator("[data-part=problem]");
    await problem.getByText(/didn’t accept the key\.$/).waitFor();
    await problem.getByRole("button", { name: "Check the key" }).waitFor();
    // There is nothing to rate.
    await page.locator("[data-part=actions]").last().getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Report a problem" }).waitFor();
    expect(await page.getByText("Good answer").count()).toBe(0);
    await page.keyboard.press("Escape");
    await expectAccessible(page);
    play(errorTurn(503, { retryAfter: 600 }), chatTurn({ text: "Now it works." }));
    await say(page, "and now?");
    await problem.getByText(/still doesn’t answer\.$/).waitFor();
    await answered(page);
    await problem.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("menuitem", { name: "Try again" }).click();
    await page.getByText("Now it works.").waitFor();
    await context.close();
  });

  it("works by keyboard", async () => {
    const { page, context } = await openPage(browser, server.url);
    const field = page.getByRole("textbox", { name: "Message" });
    play(chatTurn({ text: "Fine." }));
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type("two");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("lines");
    // Enter takes a word of an input method, which in Safari has ended by then.
    const enter = { key: "Enter", keyCode: 229, bubbles: true, cancelable: true };
    await field.evaluate((area, init) => area.dispatchEvent(new KeyboardEvent("keydown", init)), enter);
    expect(await field.inputValue()).toBe("two\nlines");
    await page.keyboard.press("Enter");
    await answered(page);
    expect(await page.locator(".asked p").textContent()).toBe("two\nlines");
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("ArrowUp");
    expect(await page.getByRole("textbox", { name: "Edit message" }).inputValue()).toBe("two\nlines");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("new chat");
    expect(await page.getByRole("option", { selected: true }).textContent()).toMatch(/^New chat/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
    const { turn } = heldTurn("Wait", " no more");
    play(turn);
    await say(page, "go");
    await page.getByText("Wait", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("You stopped this answer.", { exact: true }).waitFor();
    await context.close();
  });

  it("searches, renames and deletes conversations, and undoes a deletion", async () => {
    const { page, context } = await openPage(browser, server.url);
    play(chatTurn({ text: "About zebras." }));
    await say(page, "stripes");
    await answered(page);
    const row = page.locator(".session[data-current=true]");
    await row.getByRole("button").click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Rename" }).fill("Animals of Africa");
    await page.keyboard.press("Enter");
    await row.getByText("Animals of Africa").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill("zebras");
    await page.getByRole("option", { name: "Animals of Africa About zebras." }).waitFor();
    await page.keyboard.press("Escape");
    await row.getByRole("button").click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await expect.poll(() => page.getByRole("link", { name: "Animals of Africa" }).count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: "Animals of Africa" }).waitFor();
    await context.close();
  });

  it("fits a phone", async () => {
    const { page, context } = await openPage(browser, server.url, PHONE);
    const wide = "x".repeat(400);
    play(
      chatTurn({
        text: `\`${wide}\`\n\n\`\`\`ts\nconst a = "${wide}";\n\`\`\`\n\n| a | b |\n| - | - |\n| ${wide} | 2 |`,
      }),
    );
    await say(page, wide);
    await answered(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await page.locator(".log").evaluate((log) => log.scrollWidth - log.clientWidth)).toBe(0);
    expect(await page.getByRole("navigation").isVisible()).toBe(false);
    await page
      .getByRole("button", { name: /conversations/i })
      .first()
      .click();
    await page.getByRole("navigation").getByRole("button", { name: "New chat" }).click();
    await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
    await expectAccessible(page);
    await context.close();
  });

  it("is light or dark as the system is, and code in it stays readable", async () => {
    const { page, context } = await openPage(browser, server.url, { colorScheme: "light" });
    const red = () =>
      page.evaluate(() => Number(/\d+/.exec(getComputedStyle(document.body).backgroundColor)?.[0]));
    play(chatTurn({ text: "# A\n\n## B\n\n```ts\nconst a: number = 1; // why\n```\n\n`code`" }));
    await say(page, "everything");
    await answered(page);
    await page.locator(".token-comment").waitFor();
    expect(await red()).toBeGreaterThan(200);
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(red).toBeLessThan(60);
    await expectAccessible(page);
    await context.close();
  });

  it("has the chosen theme before the app has loaded", async () => {
    const { page, context } = await openPage(browser, server.url, { colorScheme: "light" });
    await page.evaluate(() => localStorage.setItem("tackle.preferences", '{"theme":"dark"}'));
    await page.route("**/assets/*.js", (route) => route.abort());
    for (const path of ["/", "/sign-in"]) {
      await page.goto(`${server.url}${path}`);
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
    }
    await context.close();
  });

  it("switches to German and keeps it", async () => {
    const { page, context } = await openPage(browser, server.url);
    undoIfFailed(() =>
      fetch(`${server.url}/me/settings`, {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ settings: { web: null } }),
      }),
    );
    await page.getByRole("button", { name: "Settings" }).click();
    await choose(page, "Language", "Deutsch");
    await page.getByRole("heading", { name: "Einstellungen" }).waitFor();
    await page.keyboard.press("Escape");
    // A page that is loaded from the address of the settings opens them. The browser hides a dialog before it says that it has closed it.
    await page.waitForURL(({ hash }) => !hash.startsWith("#/settings"));
    await page.reload();
    await page.getByRole("heading", { name: "Woran arbeitest du?" }).waitFor();
    // The choice applies to every browser of the same person, also in the other tests.
    await page.getByRole("button", { name: "Einstellungen" }).click();
    await choose(page, "Sprache", "English");
    await expect
      .poll(async () => JSON.stringify(await (await fetch(`${server.url}/me/settings`)).json()))
      .toContain('"language":"en"');
    await context.close();
  });

  it("shows whatever the model writes as text, and runs or loads nothing of it", async () => {
    const payloads = attacks(300);
    const { page, context, problems } = await openPage(browser, server.url);
    const outside: string[] = [];
    context.on("request", (request) => {
      if (!request.url().startsWith(server.url) && !request.url().startsWith("data:"))
        outside.push(request.url());
    });
    play(chatTurn({ text: payloads.join("\n\n"), chunkSize: 200 }));
    await say(page, "attack me");
    await answered(page);
    const found = await page.locator(".log").evaluate((log) => ({
      elements: log.querySelectorAll(
        ".prose :is(script, iframe, object, embed, form, svg, style, base, meta, img, video, audio)",
      ).length,
      handlers: [...log.querySelectorAll(".prose *")].filter((element) =>
        [...element.attributes].some(({ name }) => name.startsWith("on")),
      ).length,
      links: [...log.querySelectorAll<HTMLAnchorElement>(".prose a")].filter(
        ({ protocol }) => !/^(https?|mailto):$/.test(protocol),
      ).length,
      length: log.querySelector(".prose")?.textContent?.length ?? 0,
    }));
    expect(found).toMatchObject({ elements: 0, handlers: 0, links: 0 });
    expect(found.length).toBeGreaterThan(payloads.join("").length / 2);
    expect(outside).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });
});

/** An answer whose second half waits until the test releases it. */
function heldTurn(first: string, second: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const chunk = (delta: object, finish_reason: string | null = null): Frame => ({
    json: {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    },
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

function writeCall(content: string) {
  return chatTurn({
    calls: [{ name: "filesystem", arguments: { operation: "write", path: "notes.txt", content } }],
  });
}

/** Returns a sample of the collection, or a few attacks of our own if it is missing. */
function attacks(count: number): string[] {
  const own = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "![x](https://beacon.invalid/a.png)",
    "<svg/onload=alert(1)>",
    "[x](data:text/html,<script>alert(1)</script>)",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "[x]( java\nscript:alert(1))",
    "<a href='&#106;avascript:alert(1)'>x</a>",
  ];
  try {
    const lines = readFileSync(join(import.meta.dirname, "../../shared/corpus/attacks/xss.txt"), "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "");
    const step = Math.ceil(lines.length / count);
    return [...own, ...lines.filter((_, index) => index % step === 0)];
  } catch (error) {
    if (process.env.CI) throw error;
    console.log("skipped: the collection of attacks is not there; a few of our own are tried");
    return own;
  }
}
