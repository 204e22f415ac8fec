import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { type OpenAiServer, openServer, resultsIn } from "./support/openai.ts";
import { temporaryFolder } from "./support/server.ts";

const roots = temporaryFolder();
const note = join(roots.path, "note.txt");
const write = { operation: "write", path: "note.txt", content: "hello" };
let api: OpenAiServer;
let browser: Browser;
let script: string;

/** An answer that pauses after its first words until the test releases it. */
function held(text: string): { turn: Turn; release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { frames } = chatTurn({ text, chunkSize: "word" });
  const after = frames.findIndex((frame) => JSON.stringify(frame).includes('"content":"')) + 3;
  return {
    turn: { frames: [...frames.slice(0, after), { hold: promise }, ...frames.slice(after)] },
    release: resolve,
  };
}

/** Opens the page in its own profile, at an address of our server. */
async function open(id: string): Promise<Page> {
  const context = await browser.newContext();
  context.setDefaultTimeout(15_000);
  await context.route("**/use-chat*", (route) => {
    const isScript = new URL(route.request().url()).pathname.endsWith(".js");
    return isScript
      ? route.fulfill({ contentType: "text/javascript", body: script })
      : route.fulfill({
          contentType: "text/html",
          body: '<!doctype html><div id="root"></div><script type="module" src="/use-chat.js"></script>',
        });
  });
  const page = await context.newPage();
  await page.goto(`${api.server.url}/use-chat?id=${id}`);
  await page.getByTestId("status").getByText("ready").waitFor();
  return page;
}

async function send(page: Page, text: string): Promise<void> {
  await page.locator("input").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

const ready = (page: Page) => page.getByTestId("status").getByText("ready").waitFor();
const answer = (page: Page) => page.locator("article[data-role=assistant]").last();
const textOf = async (page: Page) =>
  (await answer(page).locator("[data-part=text]").allTextContents()).join("|");
const shows = (page: Page, text: string) => answer(page).getByText(text).waitFor();

describe.skipIf(!hasBrowser())("useChat in a browser", () => {
  beforeAll(async () => {
    const bundle = await build({
      entryPoints: [join(import.meta.dirname, "support/use-chat.tsx")],
      bundle: true,
      write: false,
      format: "esm",
      jsx: "automatic",
      define: { "process.env.NODE_ENV": '"production"' },
      logLevel: "error",
    });
    script = bundle.outputFiles[0]?.text ?? "";
    api = await openServer({ TACKLE_ROOTS: roots.path });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
    roots.remove();
  });

  it("sends a message, streams reasoning, tools and text, and continues in the same session", async () => {
    api.play(
      chatTurn({
        reasoning: "A clock helps.",
        text: "Let me see.",
        calls: [{ name: "get_time", arguments: {} }],
      }),
      chatTurn({ text: "It is late." }),
      chatTurn({ text: "Yes, still." }),
    );
    const page = await open("use-chat-tools");
    await send(page, "What time is it?");
    await shows(page, "It is late.");
    await ready(page);
    expect(await answer(page).locator("[data-part=reasoning]").textContent()).toBe("A clock helps.");
    const tool = answer(page).locator("[data-part=tool][data-state=output-available]");
    expect(await tool.textContent()).toMatch(/^get_time .*UTC/);
    expect(await textOf(page)).toBe("Let me see.|It is late.");
    await send(page, "Still?");
    await shows(page, "Yes, still.");
    expect(resultsIn(api.lastMessages())).toEqual([["get_time", expect.stringContaining("UTC")]]);
    await page.context().close();
  });

  it("asks for an approval, and continues after either decision", async () => {
    const call = { calls: [{ name: "filesystem", arguments: write }] };
    api.play(
      chatTurn(call),
      chatTurn({ text: "It is written." }),
      chatTurn(call),
      chatTurn({ text: "Then not." }),
    );
    const page = await open("use-chat-approvals");
    await send(page, "Write a note");
    await page.getByRole("button", { name: "Allow" }).click();
    await shows(page, "It is written.");
    await ready(page);
    expect(readFileSync(note, "utf8")).toBe("hello");
    rmSync(note);
    await send(page, "And again");
    await page.getByRole("button", { name: "Refuse" }).click();
    await shows(page, "Then not.");
    expect(existsSync(note)).toBe(false);
    expect(JSON.stringify(api.lastMessages())).toContain("not now");
    await page.context().close();
  });

  it("shows the complete answer once after a reload during it", async () => {
    const { turn, release } = held("one two three four five six seven");
    api.play(turn);
    const page = await open("use-chat-resume");
    await send(page, "Count");
    await shows(page, "one two");
    await page.reload();
    await shows(page, "one two");
    release();
    await shows(page, "seven");
    await ready(page);
    expect(await textOf(page)).toBe("one two three four five six seven");
    expect(await page.locator("article").count()).toBe(2);
    await page.context().close();
  });

  it("stops, and answers again on regenerate", async () => {
    const { turn, release } = held("one two three four five six seven");
    api.play(turn, chatTurn({ text: "Anew." }), chatTurn({ text: "And once more." }));
    const page = await open("use-chat-stop");
    await send(page, "Count");
    await shows(page, "one two");
    await page.getByRole("button", { name: "Stop" }).click();
    await ready(page);
    expect(await textOf(page)).not.toContain("seven");
    release();
    await page.getByRole("button", { name: "Again" }).click();
    await shows(page, "Anew.");
    await ready(page);
    await page.getByRole("button", { name: "Again" }).click();
    await shows(page, "And once more.");
    await ready(page);
    expect(await page.locator("article").count()).toBe(2);
    expect(api.lastMessages().map(({ role }) => role)).toEqual(["user"]);
    await page.context().close();
  });
});
