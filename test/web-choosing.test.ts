import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STAND_IN_KEY, startSearch } from "../src/sim/testing/search.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { jsonTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { startProtectedServer } from "../src/tools/mcp/testing/protected-server.ts";
import { EVERYTHING } from "../src/tools/mcp/testing/servers.ts";
import { buildWebApp, choose, expectAccessible, openPage, say } from "./support/browser.ts";
import { type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { undoIfFailed } from "./support/tries.ts";

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const folder = temporaryFolder();
let server: ServerProcess;
let browser: Browser;
let upstream: Upstream;
let search: Upstream;

/** A list such as OpenRouter's. */
const listed = {
  data: Array.from({ length: 222 }, (_, index) => ({
    id: `maker/model-${index}`,
    name: `Maker: Model ${index}`,
    context_length: index === 7 ? 200_000 : 1_048_576,
    pricing: { prompt: "0.00000125", completion: "0.00001" },
    architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
    supported_parameters: ["tools", "reasoning"],
  })),
};

/** Sends JSON to the server, as the person. What a failed try has added is deleted again. */
async function send(method: string, path: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const address = `${server.url}${path}`;
  const response = await fetch(address, { method, headers, body: JSON.stringify(body) });
  expect(response.status).toBeLessThan(300);
  if (method !== "POST") return;
  const added = (await response.json()) as { id?: string; name?: string };
  undoIfFailed(() => fetch(`${address}/${added.id ?? added.name}`, { method: "DELETE" }));
}

/** What an earlier test wrote and did not send would be in the message of this one too. */
const forgetDraft = () => send("PUT", "/me/drafts/new", { text: "" });

describe.skipIf(!hasBrowser())("choosing a model in the web app", () => {
  beforeAll(async () => {
    buildWebApp();
    browser = await startBrowser();
    upstream = await startUpstream({
      models: () => listed,
      respond: ({ headers }) =>
        jsonTurn({ data: {} }, String(headers.authorization).endsWith("good-key") ? 200 : 401),
    });
    search = await startSearch("tavily");
    const skill = join(folder.path, "skills", "review");
    await mkdir(skill, { recursive: true });
    await writeFile(join(skill, "SKILL.md"), "---\nname: review\ndescription: Reviews a change.\n---\nLook.");
    server = await startServer(folder.path, {
      OPENROUTER_API_KEY: "sk-or-of-the-server",
      OPENROUTER_BASE_URL: upstream.url,
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
      TAVILY_BASE_URL: search.url,
    });
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await upstream?.close();
    await search?.close();
    folder.remove();
  });

  it("searches hundreds of models by name, vendor and tag, and keeps few rows in the page", async () => {
    const { page, context, problems } = await openPage(browser, server.url);
    await page.locator("[data-part=model-picker]").click();
    const options = page.getByRole("option");
    await options.first().waitFor();
    const field = page.getByRole("combobox", { name: /^Search \d+ models$/ });
    expect(Number(/\d+/.exec((await field.getAttribute("placeholder")) ?? "")?.[0])).toBeGreaterThan(222);
    expect(await options.count()).toBeLessThanOrEqual(40);
    await options.getByText("$1.25 / $10").first().waitFor();
    // Of those that were used last, and of the vendor.
    expect(await page.getByText("the server’s key").count()).toBe(2);
    await expectAccessible(page);
    const times: number[] = [];
    for (const key of "2222") {
      times.push(
        await page.evaluate(async (typed) => {
          const start = performance.now();
          document.execCommand("insertText", false, typed);
          document.querySelector("[role=option]")?.getBoundingClientRect();
          return performance.now() - start;
        }, key),
      );
      await field.fill("");
    }
    // The machine may be busy with other tests: the quickest counts.
    expect(Math.min(...times)).toBeLessThan(50);
    const marked = page.locator("[role=option][data-at=true]");
    const first = await marked.textContent();
    await page.keyboard.press("End");
    await page.locator("[role=option][data-at=true]", { hasNotText: first ?? "" }).waitFor();
    await page.keyboard.press("Home");
    await page.locator("[role=option][data-at=true]", { hasText: first ?? "" }).waitFor();
    await field.fill("maker");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Home");
    await page.keyboard.type("the ");
    expect(await field.inputValue()).toBe("the maker");
    await field.fill("maker 200k");
    expect(await options.allTextContents()).toEqual([expect.stringMatching(/Model 7ImagesThinks200K/)]);
    await field.fill("openrouter thinks 221");
    expect(await options.allTextContents()).toEqual([
      expect.stringMatching(/Maker: Model 221ImagesThinks1M/),
    ]);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Model: Maker: Model 221" }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toContain("221");
    await page.reload();
    await page.getByRole("button", { name: "Model: Maker: Model 221" }).click();
    expect(await options.first().textContent()).toContain("Maker: Model 221");
    await page.keyboard.press("Escape");
    await options.first().waitFor({ state: "detached" });
    expect(problems).toEqual([]);
    await context.close();
  });

  it("offers the models of vendors without a key in grey, and leads to the place for the key", async () => {
    const { page, context } = await openPage(browser, server.url);
    await page.getByRole("button", { name: /^Model: / }).waitFor();
    await page.keyboard.press("Control+/");
    await page.getByRole("combobox", { name: /^Search/ }).fill("claude opus");
    const locked = page.getByRole("option", { name: /Add a key/ }).first();
    await locked.click();
    await page.getByRole("dialog").getByText("Models and keys").first().waitFor();
    await context.close();
  });

  it("tries a key before it is saved, and says what is wrong with it", async () => {
    const { page, context, problems } = await openPage(browser, `${server.url}/#/settings/keys`);
    const actions = page.getByRole("button", { name: "Actions for OpenRouter" });
    await page.getByText(/^The server’s key · 222 models$/).waitFor();
    await actions.click();
    await page.getByRole("menuitem", { name: "Use your own key" }).click();
    await page.getByLabel("Key for OpenRouter").fill("sk-or-mistyped");
    await page.getByRole("button", { name: "Check and save" }).click();
    await page.getByText("OpenRouter didn’t accept this key.").waitFor();
    expect(await page.getByLabel("Key for OpenRouter").inputValue()).toBe("sk-or-mistyped");
    await expectAccessible(page);
    await page.getByLabel("Key for OpenRouter").fill("sk-or-good-key");
    await page.keyboard.press("Enter");
    await page.getByText("Key ending -key · 222 models").waitFor();
    await page.getByText("Works", { exact: true }).waitFor();
    await actions.click();
    await page.getByRole("menuitem", { name: "Remove the key" }).click();
    await page.getByText(/^The server’s key · 222 models$/).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it("shows a key that was saved elsewhere on pages that are open: in the settings and among the models", async () => {
    const settings = await openPage(browser, `${server.url}/#/settings/keys`);
    await settings.page.getByText(/^The server’s key · 222 models$/).waitFor();
    const { page, context } = await openPage(browser, server.url);
    await page.getByRole("button", { name: /^Model: / }).click();
    await page.getByRole("combobox", { name: /^Search/ }).fill("claude opus");
    const opus = page.getByRole("option", { name: /Claude Opus/ }).first();
    await opus.getByText("Add a key").waitFor();
    await send("PUT", "/me/settings", { keys: { openrouter: "sk-or-good-key", anthropic: "sk-ant-key" } });
    await settings.page.getByText("Key ending -key · 222 models").waitFor();
    await opus.getByText("Add a key").waitFor({ state: "detached" });
    await send("PUT", "/me/settings", { keys: { openrouter: null, anthropic: null } });
    await opus.getByText("Add a key").waitFor();
    await settings.page.getByText(/^The server’s key · 222 models$/).waitFor();
    await context.close();
    await settings.context.close();
  });

  it("adds any server with OpenAI’s interface, and offers its models at once", async () => {
    const lab = await startUpstream({ models: () => ({ data: [{ id: "lab-small" }, { id: "lab-large" }] }) });
    const { page, context } = await openPage(browser, `${server.url}/#/settings/keys`);
    await page.getByRole("button", { name: "Any OpenAI-compatible server" }).click();
    await page.getByLabel("Name", { exact: true }).fill("lab");
    await page.getByLabel("Address").fill("http://127.0.0.1:9/v1");
    await page.getByRole("button", { name: "Check and add" }).click();
    await page.getByText("Nothing answers at this address.").waitFor();
    await page.getByLabel("Address").fill(`${lab.url}/v1`);
    await page.getByRole("button", { name: "Check and add" }).click();
    const row = page.getByRole("listitem").filter({ hasText: "On this computer · 2 models" });
    await row.getByText("Works").waitFor();
    await expectAccessible(page);
    const { models } = (await (await fetch(`${server.url}/models`)).json()) as { models: { id: string }[] };
    expect(models.map(({ id }) => id)).toEqual(expect.arrayContaining(["lab/lab-small", "lab/lab-large"]));
    await page.getByRole("button", { name: "Actions for lab" }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await row.waitFor({ state: "detached" });
    await context.close();
    await lab.close();
  });

  it("tries the key of a search service too", async () => {
    const { page, context } = await openPage(browser, `${server.url}/#/settings/keys`);
    await page.getByRole("button", { name: "Tavily" }).click();
    await page.getByLabel("Key for Tavily").fill("tvly-mistyped");
    await page.getByRole("button", { name: "Check and save" }).click();
    await page.getByText("Tavily didn’t accept this key.").waitFor();
    await page.getByLabel("Key for Tavily").fill(STAND_IN_KEY);
    await page.keyboard.press("Enter");
    await page.getByText("Web search · key ending 1234").waitFor();
    await page.getByRole("listitem").filter({ hasText: "Tavily" }).getByText("Works").waitFor();
    await send("PUT", "/me/settings", { keys: { tavily: null } });
    await context.close();
  });

  it("switches tools by group, and a dot says that some are off", async () => {
    const { page, context } = await openPage(browser, server.url);
    await page.locator("[data-part=tool-picker]").click();
    const web = page.getByRole("switch", { name: /^Web/ });
    await web.waitFor();
    expect(await page.locator(".some-off").count()).toBe(0);
    await page.keyboard.press("Home");
    await page.keyboard.press("Space");
    expect(await web.isChecked()).toBe(false);
    expect(await page.locator(".some-off").count()).toBe(1);
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toMatch(/^Tools/);
    await context.close();
  });

  it("finds saved prompts after a slash, asks for their fields, and keeps the focus in the message", async () => {
    await send("POST", "/prompts", { name: "letter", text: "Write to {{name}} about {{topic}}." });
    await forgetDraft();
    const { page, context, problems } = await openPage(browser, server.url);
    const message = page.getByRole("textbox", { name: "Message" });
    await message.click();
    await page.keyboard.type("/");
    await page.getByRole("listbox", { name: "Prompts and commands" }).waitFor();
    await page.getByRole("option", { name: /letter/ }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    expect(await message.inputValue()).toBe("/");
    await message.fill("");
    await page.keyboard.type("/let");
    await page.getByRole("option", { name: /letter/ }).waitFor();
    await page.getByRole("button", { name: /^Tools/ }).click();
    await page.getByRole("option", { name: /letter/ }).waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await message.click();
    await page.getByRole("option", { name: /letter/ }).waitFor();
    const pointed = await message.getAttribute("aria-activedescendant");
    expect(await page.locator(`[id="${pointed}"]`).textContent()).toContain("/letter");
    await page.keyboard.press("Enter");
    const ring = page.getByLabel("name").evaluate((one) => getComputedStyle(one).outlineStyle);
    expect(await ring).toBe("solid");
    await page.getByLabel("name").fill("Ada");
    await page.keyboard.press("Enter");
    await page.keyboard.type("rain");
    await page.keyboard.press("Enter");
    expect(await message.inputValue()).toBe("Write to Ada about rain.");
    expect(await message.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await page.locator("article").count()).toBe(0);
    expect(problems).toEqual([]);
    await message.fill("");
    await context.close();
  });

  it("offers the prompts of a connected service after a slash", async () => {
    await send("POST", "/admin/mcp", { name: "everything", command: process.execPath, args: [EVERYTHING] });
    await forgetDraft();
    const { page, context, problems } = await openPage(browser, server.url);
    const message = page.getByRole("textbox", { name: "Message" });
    await message.click();
    await page.keyboard.type("/args");
    const offered = page.getByRole("group", { name: "Connected services" }).getByRole("option");
    await offered.filter({ hasText: "/everything.args-prompt" }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    expect(await message.inputValue()).toBe("/everything.args-prompt ");
    await message.fill("");
    await send("DELETE", "/admin/mcp/everything", {});
    expect(problems).toEqual([]);
    await context.close();
  });

  it("offers skills after a slash, and tools and projects after an @, as chips that keys remove", async () => {
    await send("POST", "/projects", { name: "Lisbon office" });
    await forgetDraft();
    const { page, context, problems } = await openPage(browser, server.url);
    const message = page.getByRole("textbox", { name: "Message" });
    await message.click();
    await page.keyboard.type("/rev");
    await page
      .getByRole("group", { name: "Skills" })
      .getByRole("option", { name: /review/ })
      .waitFor();
    await page.keyboard.press("Enter");
    expect(await message.inputValue()).toBe("/review ");
    await message.fill("");
    await page.keyboard.type("@lisb");
    await page.getByRole("group", { name: "Projects" }).getByRole("option").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Don’t begin in Lisbon office" }).click();
    await message.click();
    await page.keyboard.type("@get_time");
    await page
      .getByRole("group", { name: "Tools" })
      .getByRole("option", { name: /^Time / })
      .waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    const chip = page.locator("[data-part=tool-chip]");
    await chip.getByText("Use Time").waitFor();
    await message.click();
    await page.keyboard.press("Backspace");
    await chip.waitFor({ state: "detached" });
    await page.keyboard.type("@get_time");
    await page.getByRole("option", { name: /^Time /, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await chip.getByText("Use Time").waitFor();
    const sent = page.waitForRequest(
      (request) => request.url().endsWith("/chat") && request.method() === "POST",
    );
    // As fast as can be: before the page tells that the cursor has moved.
    await message.evaluate(async (field: HTMLTextAreaElement) => {
      field.select();
      document.execCommand("insertText", false, "in Tokyo");
      await null;
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    });
    expect((await sent).postDataJSON()).toMatchObject({ toolChoice: "get_time", message: "in Tokyo" });
    await chip.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
    await context.close();
  });

  it("sends what the message is to become, and how to answer", async () => {
    const { page, context } = await openPage(browser, server.url);
    const add = page.getByRole("button", { name: "Add to the message" });
    await add.click();
    await page.getByRole("menuitem", { name: "How to answer" }).click();
    await choose(page, "Effort", "Quick");
    await page.keyboard.press("Escape");
    await add.click();
    await page.getByRole("menuitem", { name: "Build a page or diagram" }).click();
    await page.reload();
    await page.getByRole("button", { name: "Send an ordinary message instead" }).waitFor();
    const sent = page.waitForRequest(
      (request) => request.url().endsWith("/chat") && request.method() === "POST",
    );
    await say(page, "a counter");
    expect((await sent).postDataJSON()).toMatchObject({
      modeHint: "artifact",
      parameters: { effort: "low" },
    });
    expect(await page.locator(".mode-chip").count()).toBe(0);
    await page.waitForURL(/#\/s\//);
    const other = await openPage(browser, page.url());
    for (const one of [page, other.page]) {
      await one.getByRole("button", { name: "Add to the message" }).click();
      await one.getByRole("menuitem", { name: "How to answer" }).click();
    }
    await other.page.getByRole("combobox", { name: "Effort" }).getByText("Quick").waitFor();
    await other.page.getByLabel("Temperature").fill("0.5");
    await page.waitForFunction(() =>
      [...document.querySelectorAll("input")].some(({ value }) => value === "0.5"),
    );
    await expectAccessible(page);
    await other.context.close();
    await context.close();
  });

  it("adds, changes, pauses and removes a service in the settings", async () => {
    const { page, context } = await openPage(browser, `${server.url}/#/settings/tools`);
    await page.getByRole("button", { name: "Add a server" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Is nowhere");
    await page.getByLabel("Address").fill("http://127.0.0.1:9/mcp");
    await page.getByRole("button", { name: "Add and connect" }).click();
    await page.getByText("Can’t be reached").waitFor();
    await expectAccessible(page);
    const act = async (name: string) => {
      await page.getByRole("button", { name: "Actions for Is-nowhere" }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    await act("Edit");
    await page.getByLabel("Address").fill("http://127.0.0.1:9/other");
    await page.getByRole("button", { name: "Save and connect" }).click();
    await page.getByText("http://127.0.0.1:9/other").waitFor();
    await act("Pause");
    await page.getByText("Paused", { exact: true }).waitFor();
    await act("Remove");
    await page.getByText("Is-nowhere removed.").waitFor();
    await page.getByText("http://127.0.0.1:9/other").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await act("Remove");
    await page.goto("about:blank");
    const left = async () =>
      (await (await fetch(`${server.url}/admin/mcp`)).json()) as { sources: unknown[] };
    await expect.poll(async () => (await left()).sources).toEqual([]);
    await context.close();
  });

  it("shows that a service still connects until it does, and why a description can't be used", async () => {
    let isSlow = true;
    const api = createServer((_, response) => {
      if (!isSlow) response.writeHead(404).end();
    });
    const html = createServer((_, response) => response.end("<html>"));
    const addressOf = async (one: Server) => {
      await new Promise<void>((done) => one.listen(0, "127.0.0.1", done));
      return `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
    };
    const { page, context } = await openPage(browser, `${server.url}/#/settings/tools`);
    await page.getByRole("button", { name: "Add a server" }).click();
    await page.getByLabel("Name", { exact: true }).fill("slow");
    await page.getByLabel("Address").fill(await addressOf(api));
    await page.getByRole("button", { name: "Add and connect" }).click();
    await page.locator(".sources").getByText("Connecting…").waitFor();
    isSlow = false;
    api.closeAllConnections();
    await page.locator(".sources").getByText("Connecting…").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Add an API description" }).click();
    await page.getByLabel("Name", { exact: true }).fill("html");
    await page.getByLabel("Address", { exact: true }).fill(await addressOf(html));
    await page.getByRole("button", { name: "Add and connect" }).click();
    // The slow one may not work either, for as long as it isn't tried again.
    await page.getByRole("listitem").filter({ hasText: "html" }).getByText("Doesn’t work").waitFor();
    await page.getByText("This isn’t an OpenAPI description (2.0").waitFor();
    for (const path of ["mcp/slow", "openapi/html"])
      await fetch(`${server.url}/admin/${path}`, { method: "DELETE" });
    api.close();
    html.close();
    await context.close();
  });

  it("writes, tries, pauses and removes a tool in the settings", async () => {
    const { page, context } = await openPage(browser, `${server.url}/#/settings/tools`);
    await page.getByRole("button", { name: "Write a tool" }).click();
    await page.getByLabel("Name, as in the code").fill("other");
    await page.getByRole("button", { name: "Check and add" }).click();
    await page.getByText("the tool calls itself").waitFor();
    await page.getByLabel("Name, as in the code").fill("word_count");
    await page.getByRole("button", { name: "Check and add" }).click();
    const act = async (name: string) => {
      await page.getByRole("button", { name: "Actions for Word count" }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    await act("Try it");
    await page.getByLabel("text", { exact: true }).fill("one two three");
    await page.getByRole("button", { name: "Run it" }).click();
    await page.locator(".tool-output pre", { hasText: '"words": 3' }).waitFor();
    await expectAccessible(page);
    await act("Pause");
    await page.getByText("Paused", { exact: true }).waitFor();
    await act("Go on");
    await page.getByText("Counts the words of a text. · changes nothing").waitFor();
    await act("Remove");
    await page.getByText("Word count removed.").waitFor();
    await context.close();
  });

  it("keeps the name of a page and the way out in sight while the page scrolls", async () => {
    const { page, context } = await openPage(browser, `${server.url}/#/settings/tools`);
    await page.getByRole("button", { name: "Add a rule" }).waitFor();
    const scroller = page.locator(".settings-page");
    await scroller.evaluate((one) => one.scrollTo(0, one.scrollHeight));
    const heading = await page.getByRole("heading", { name: "Tools", exact: true }).boundingBox();
    expect(heading?.y).toBeGreaterThan((await scroller.boundingBox())?.y ?? 0);
    await page.getByRole("button", { name: "Close" }).click({ timeout: 5_000 });
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await context.close();
  });

  it("changes what happens where no rule fits, after a second look where that allows much", async () => {
    const { page, context } = await openPage(browser, `${server.url}/#/settings/tools`);
    const changing = "Whatever changes something";
    await choose(page, changing, "Run without asking");
    await page.getByRole("button", { name: "Save anyway" }).click();
    await page.getByText("Rule saved.").waitFor();
    await page.getByRole("combobox", { name: changing }).getByText("Run without asking").waitFor();
    await expectAccessible(page);
    await choose(page, changing, "Ask first, unless you ordered exactly that");
    await page.getByRole("combobox", { name: changing }).getByText("unless you ordered").waitFor();
    await context.close();
  });

  it("signs in to a service that asks for it, and takes the access back", async () => {
    const vault = await startProtectedServer();
    await send("POST", "/admin/mcp", { name: "vault", url: vault.url });
    const { page, context } = await openPage(browser, `${server.url}/#/settings/tools`);
    await page.getByText("Needs your sign-in").waitFor();
    const opened = context.waitForEvent("page");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    const granting = await opened;
    await granting.getByText("vault is connected. You can close this tab.").waitFor();
    await granting.getByRole("heading", { name: "Tools", exact: true }).waitFor();
    await granting.close();
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    // The database and what else the operator has set up also work.
    await page
      .getByRole("listitem")
      .filter({ hasText: "vault" })
      .getByText("Works", { exact: true })
      .waitFor();
    await page.getByRole("button", { name: "Actions for vault" }).click();
    await page.getByRole("menuitem", { name: "Disconnect" }).click();
    await page.getByText("vault disconnected.").waitFor();
    await page.getByText("Needs your sign-in").waitFor();
    await send("DELETE", "/admin/mcp/vault", {});
    await context.close();
    await vault.close();
  });

  it("is a sheet on a phone with rows that fingers can hit", async () => {
    const { page, context } = await openPage(browser, server.url, PHONE);
    await page.locator("[data-part=model-picker]").click();
    const first = page.getByRole("option").first();
    await first.waitFor();
    expect((await first.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect(await page.getByRole("option").count()).toBeLessThanOrEqual(40);
    await expectAccessible(page);
    await first.tap();
    await first.waitFor({ state: "detached" });
    await context.close();
  });

  it("asks on a phone for the fields of a prompt, each below its name", async () => {
    await send("POST", "/prompts", { name: "card", text: "Greet {{name}}." });
    await forgetDraft();
    const { page, context } = await openPage(browser, server.url, PHONE);
    await page.getByRole("textbox", { name: "Message" }).click();
    await page.keyboard.type("/card");
    await page.getByRole("option", { name: /card/ }).click();
    const label = page.locator(".fields-form label").first();
    await label.waitFor();
    const overlap = await label.evaluate((one) => {
      const name = document.createRange();
      name.selectNodeContents(one.firstChild ?? one);
      const field = one.querySelector("textarea")?.getBoundingClientRect();
      return name.getBoundingClientRect().bottom - (field?.top ?? 0);
    });
    expect(overlap).toBeLessThanOrEqual(0);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("textbox", { name: "Message" }).fill("");
    await context.close();
  });
});
