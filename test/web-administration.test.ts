import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn, errorTurn, jsonTurn } from "../src/sim/turns.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { hasBrowser, startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { ask } from "./support/accounts.ts";
import { buildWebApp, choose, expectAccessible, openPage, say } from "./support/browser.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";
import { chat, firstEvent } from "./support/sse.ts";

/** Returns the names that several parts of the page have. */
async function repeatedLandmarks(page: Page): Promise<string[]> {
  const regions = await page.locator("section[aria-label]:visible").all();
  const names = await Promise.all(regions.map((region) => region.getAttribute("aria-label")));
  return names.filter((name, place) => names.indexOf(name) !== place).map(String);
}

const folder = temporaryFolder();
const roots = join(folder.path, "files");
let upstream: Upstream;
let server: ServerProcess;
let browser: Browser;

describe.skipIf(!hasBrowser())("the administration of a server without accounts", () => {
  beforeAll(async () => {
    buildWebApp();
    mkdirSync(roots);
    browser = await startBrowser();
    upstream = await startUpstream();
    server = await startServer(join(folder.path, "data"), {
      ...modelAt(upstream.url),
      TACKLE_ROOTS: roots,
      TACKLE_MAX_RETRIES: "0",
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await upstream?.close();
    folder.remove();
  });

  it("shows a call that waits for a decision, without its contents", async () => {
    const write = { operation: "write", path: "plan.txt", content: "swordfish" };
    upstream.respond(({ method, body }) => {
      if (method === "GET") return jsonTurn({ object: "list", data: [] });
      const decided = JSON.stringify(body).includes("tool_call_id");
      return decided
        ? chatTurn({ text: "Fine." })
        : chatTurn({ calls: [{ name: "filesystem", arguments: write }] });
    });
    const { page, context, problems } = await openPage(browser, server.url);
    await say(page, "Write the swordfish plan down");
    await page.getByRole("button", { name: / once$/ }).waitFor();
    const other = await context.newPage();
    await other.goto(server.url);
    await other.getByText("You", { exact: true }).waitFor();
    await other.keyboard.press("Control+k");
    await other.getByRole("combobox", { name: /Search commands/ }).fill("administration");
    await other.keyboard.press("Enter");
    const now = other.getByRole("region", { name: "Right now" });
    await now.getByText("Files", { exact: true }).waitFor();
    await now.getByText("Needs a decision: Files").waitFor();
    await now.getByText(/^You · for [\d.]+ s$/).waitFor();
    await now.getByText(/^You · until /).waitFor();
    expect(await now.textContent()).not.toContain("swordfish");
    await expectAccessible(other);
    await page.getByRole("button", { name: /^Don’t \w+$/ }).click();
    await page.getByText("Fine.").waitFor();
    // Nobody has to reload it.
    await now.getByText("No decisions are needed.").waitFor({ timeout: 10_000 });
    await other.getByRole("tab", { name: "People" }).click();
    await other.getByText("This server has no accounts").waitFor();
    await other.getByRole("tab", { name: "Limits" }).click();
    await other.getByRole("row", { name: "Questions 20 100" }).waitFor();
    await other.getByText("They apply once this server has guests or accounts.").waitFor();
    await expectAccessible(other);
    await other.getByRole("tab", { name: "Audit log" }).click();
    await other.getByRole("row", { name: /You Decision made Files/ }).waitFor();
    await other.setViewportSize({ width: 390, height: 844 });
    const log = other.getByRole("region", { name: "Table: Audit log" });
    expect(await log.evaluate((box) => box.scrollWidth - box.clientWidth)).toBeLessThanOrEqual(0);
    await expectAccessible(other);
    await other.setViewportSize({ width: 1280, height: 800 });
    await choose(other, "What to show", "Sign-in failed");
    await other.getByText("Nothing found.").waitFor();
    await expectAccessible(other);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("changes what guests may use up and which models they are offered", async () => {
    const { page, context, problems } = await openPage(browser, `${server.url}/#/administration`);
    await page.getByRole("tab", { name: "Limits" }).click();
    await page.getByRole("button", { name: "Limits for guests" }).click();
    const questions = page.getByRole("spinbutton", { name: "Questions" });
    expect(await questions.getAttribute("placeholder")).toBe("20");
    expect(await page.getByRole("spinbutton", { name: "Cost in $" }).getAttribute("placeholder")).toBe(
      "Unlimited",
    );
    await questions.fill("7");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row", { name: "Questions 7 changed here 100" }).waitFor();
    await page.getByRole("button", { name: "Models for guests" }).click();
    await page.getByRole("radio", { name: "Only these" }).check();
    await page.getByText("Choose at least one model.").waitFor();
    await page.getByRole("searchbox", { name: "Search models" }).fill("demo");
    await page.getByRole("checkbox", { name: /^All of/ }).check();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("row", { name: /^Guests 1 of \d+ The server’s default/ }).waitFor();
    await page.goto(`${server.url}/#/settings/tools`);
    await page.locator("[data-part=folders]").getByText(roots).waitFor();
    await expectAccessible(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("stops an answer that somebody waits for", async () => {
    const write = { operation: "write", path: "plan.txt", content: "swordfish" };
    upstream.respond(({ method }) =>
      method === "GET"
        ? jsonTurn({ object: "list", data: [] })
        : chatTurn({ calls: [{ name: "filesystem", arguments: write }] }),
    );
    const { page, context } = await openPage(browser, server.url);
    await say(page, "Write the plan down");
    await page.getByRole("button", { name: / once$/ }).waitFor();
    const other = await context.newPage();
    await other.goto(`${server.url}/#/administration`);
    await other.getByText("1 waits for a decision").waitFor();
    const now = other.getByRole("region", { name: "Right now" });
    await now.getByRole("button", { name: "Stop" }).click();
    await now.getByRole("button", { name: "Stop it now?" }).click();
    await other.getByText("None waits for a decision").waitFor();
    await page.getByRole("button", { name: / once$/ }).waitFor({ state: "detached" });
    await context.close();
  });

  it("shows each number of a period with its bars, and the bars as a table", async () => {
    upstream.respond(() => chatTurn({ text: "Here.", usage: { inputTokens: 70, outputTokens: 7 } }));
    const { messageId } = firstEvent(await chat(server.url, { message: "Hello" }), "done");
    await ask(server, "POST", `/messages/${messageId}/feedback`, {}, { value: -1, note: "Too short" });
    const { page, context, problems } = await openPage(browser, `${server.url}/#/administration`);
    await page.getByRole("img", { name: /^Bad answers per day: 1 in all, at most 1 on / }).waitFor();
    await page
      .getByRole("region", { name: "Feedback", exact: true })
      .getByText(/^You · GPT-4o · /)
      .waitFor();
    const plotted = page.getByRole("button", { name: /^Active people 1/ });
    await plotted.click();
    expect(await plotted.getAttribute("aria-pressed")).toBe("true");
    await page.getByRole("img", { name: /^Active people per day: 1 in all, at most 1 on / }).waitFor();
    await page.getByRole("combobox", { name: "Period" }).click();
    await page.getByRole("option", { name: "Last 24 hours" }).click();
    await page.getByRole("img", { name: /^Active people per hour: 1 in all/ }).waitFor();
    await page.getByRole("button", { name: /^Tokens/ }).click();
    await page.getByRole("img", { name: /^Tokens per hour: / }).waitFor();
    await page.getByRole("figure", { name: "Tokens per hour" }).getByText("As a table").click();
    const table = page.getByRole("table", { name: "Tokens per hour" });
    expect(await table.getByRole("row").count()).toBe(25);
    await page.getByRole("button", { name: /^Running now/ }).click();
    await page.getByText("Answers at once, the most per hour", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: /^Spent/ }).click();
    const bars = page.getByRole("img", { name: /^Cost per hour: \$0\.000/ });
    const marks = (await bars.locator("text").allTextContents()).slice(0, 3);
    expect(new Set(marks).size).toBe(3);
    expect(await repeatedLandmarks(page)).toEqual([]);
    await expectAccessible(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("tells what is stored now from what was stored in the period", async () => {
    const { page, context } = await openPage(browser, `${server.url}/#/administration`);
    await page.getByRole("tab", { name: "Health" }).click();
    const stored = page.getByRole("region", { name: "Stored" });
    await stored.getByText(/^Conversations: \d+ · messages: \d+ · /).waitFor();
    expect(await stored.locator("header").textContent()).toBe("StoredNow");
    await stored.getByText("Stored by day").first().waitFor();
    await context.close();
  });

  it("shows failures by cause and place, and lets an administrator try a paused service again", async () => {
    upstream.respond(({ method }) =>
      method === "GET"
        ? jsonTurn({ object: "list", data: [] })
        : errorTurn(500, { message: "broken, says swordfish" }),
    );
    for (let count = 0; count < 3; count++) await chat(server.url, { message: "Hello" });
    const { page, context } = await openPage(browser, `${server.url}/#/administration`);
    await page.getByRole("tab", { name: "Health" }).click();
    const errors = page.getByRole("table", { name: "Errors" });
    await errors.getByRole("row", { name: /^The service answered with an error\. gpt-4o 3 /i }).waitFor();
    expect(await errors.textContent()).not.toMatch(/[A-Z]_[A-Z]|model:/);
    await page.getByRole("img", { name: /^Errors per day: 3 in all/ }).waitFor();
    const ofErrors = page.getByRole("region", { name: "Errors", exact: true });
    await ofErrors.getByText("Details", { exact: true }).click();
    await page
      .getByRole("row", { name: /UPSTREAM_ERROR model:openai.gpt-4o/ })
      .first()
      .waitFor();
    expect(await repeatedLandmarks(page)).toEqual([]);
    await page.getByRole("combobox", { name: "Period" }).click();
    await page.getByRole("option", { name: "Last 24 hours" }).click();
    await page.getByRole("img", { name: /^Errors per hour: 3 in all/ }).waitFor();
    await page
      .getByRole("img", { name: /^Stored by hour: at most [\d.]+ [kM]B in the hour from / })
      .waitFor();
    const breaker = page.getByRole("region", { name: "Services" });
    await breaker.getByText("Paused after 3 failures. It is tried again automatically.").waitFor();
    expect(await breaker.textContent()).not.toContain("model:openai");
    await expectAccessible(page);
    await breaker.getByRole("button", { name: "Try now" }).click();
    await breaker.getByText("Nothing is paused.").waitFor();
    upstream.respond(() => chatTurn({ text: "Well again." }));
    await page.getByRole("button", { name: "Back to the chat" }).click();
    await say(page, "And now?");
    await page.getByText("Well again.").waitFor();
    await context.close();
  });
});
