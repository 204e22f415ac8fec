import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSearch } from "../src/sim/testing/search.ts";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { pdfOf } from "../src/tools/builtin/web_fetch/testing/pdf.ts";
import { ask } from "./support/accounts.ts";
import { answered, openPage, openSteps, say } from "./support/browser.ts";
import { DESK, PHONE } from "./support/look.ts";
import { temporaryFolder } from "./support/server.ts";
import { heldTurn, openStage, type WebStage } from "./support/web.ts";

const workspace = temporaryFolder();
let stage: WebStage;
let search: Awaited<ReturnType<typeof startSearch>>;

const call = (name: string, args: Record<string, unknown>) => ({ name, arguments: args });
const run = (command: string) => call("execute_command", { command });

/** Returns how far a person sees what can be done with an answer. */
function actionsSeen(page: Page, index: number): Promise<string> {
  return page
    .locator("article.answer")
    .nth(index)
    .getByRole("button", { name: "Copy", exact: true })
    .evaluate((button) => getComputedStyle(button).opacity);
}

describe.skipIf(!hasBrowser())("details of the conversation in the web app", () => {
  beforeAll(async () => {
    mkdirSync(join(workspace.path, "src"));
    writeFileSync(join(workspace.path, "src/dates.ts"), "const order = [1, 2];\n");
    search = await startSearch("tavily");
    stage = await openStage({
      ...search.settings,
      TACKLE_ROOTS: workspace.path,
      TACKLE_UNSAFE_COMMANDS: "1",
    });
  });
  afterAll(async () => {
    await stage?.close();
    await search?.close();
    workspace.remove();
  });

  it("shows what can be done with an older answer where the pointer or the focus is", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    for (const text of ["First.", "Second."]) {
      stage.play(chatTurn({ text }));
      await say(page, text);
      await page.getByText(text, { exact: true }).last().waitFor();
      await answered(page);
    }
    await page.mouse.move(5, 890);
    expect([await actionsSeen(page, 0), await actionsSeen(page, 1)]).toEqual(["0", "1"]);
    await page.locator("article.answer").first().hover();
    expect(await actionsSeen(page, 0)).toBe("1");
    await page.mouse.move(5, 890);
    await page.locator("article.answer").first().getByRole("button", { name: "More" }).focus();
    expect(await actionsSeen(page, 0)).toBe("1");
    await context.close();
  });

  it("keeps the line in its place when its steps are unfolded, also while text arrives", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    const long = Array.from({ length: 12 }, (_, at) => `Paragraph ${at + 1}.`).join("\n\n");
    const { turn, release } = heldTurn(`${long}\n\n`, "The end of it.");
    const calls = ["one", "two", "three"].map((word) => run(`printf '${`${word}\\n`.repeat(7)}'`));
    stage.play(chatTurn({ calls }), turn);
    await say(page, "Do these");
    await page.getByText("Paragraph 12.").waitFor();
    const line = page.locator(".step-line").first();
    const top = async () => (await line.boundingBox())?.y;
    const before = await top();
    await line.click();
    await page.locator("[data-part=timeline]").waitFor();
    await page.getByRole("button", { name: "To the end" }).waitFor();
    expect(await top()).toBe(before);
    release();
    await answered(page);
    expect(await top()).toBe(before);
    await context.close();
  });

  it("says what was searched for and where it was found, without the name of the search service", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    stage.play(
      chatTurn({ calls: [call("web_search", { query: "lighthouses" })] }),
      chatTurn({ text: "Tall." }),
    );
    await say(page, "How tall are they?");
    await answered(page);
    await openSteps(page);
    const step = page.locator("[data-part=timeline] .call");
    expect(await step.locator(".step-head").textContent()).toMatch(/^Searched the web for “lighthouses”/);
    expect(await step.locator(".sites a").allTextContents()).toEqual([
      "1lighthouses.example",
      "2encyclopedia.example",
      "3museum.example",
    ]);
    expect(await step.textContent()).not.toMatch(/tavily/i);
    await context.close();
  });

  it("names commands as they are typed, tells how they ended once, and colors what was changed", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    const edit = call("filesystem", {
      operation: "edit",
      path: "src/dates.ts",
      edits: [{ oldText: "[1, 2]", newText: "[2, 1]" }],
    });
    const wrong = call("filesystem", { operation: "edit", path: "src/dates.ts", edits: [{ from: "a" }] });
    stage.play(
      chatTurn({ calls: [run("false")] }),
      chatTurn({ calls: [edit, wrong, call("write_file", { path: "src/dates.ts" })] }),
      chatTurn({ text: "Changed." }),
    );
    await say(page, "edit src/dates.ts: replace [1, 2] with [2, 1]");
    const once = page.getByRole("button", { name: "Change once" });
    await once
      .or(page.getByText("Changed.", { exact: true }))
      .first()
      .waitFor();
    if (await once.isVisible()) await once.click();
    await page.getByText("Changed.", { exact: true }).waitFor();
    await answered(page);
    expect(await page.locator(".step-name").textContent()).toMatch(/^false failed/);
    await openSteps(page);
    const steps = page.locator("[data-part=timeline] .call");
    expect((await steps.first().textContent())?.match(/Exit code 1/g)).toHaveLength(1);
    expect(await steps.nth(1).locator(".step-gist").textContent()).toBe("src/dates.ts");
    expect(await steps.nth(1).locator(".diff-removed, .diff-added").count()).toBe(2);
    expect(await steps.nth(1).locator(".counts").textContent()).toBe("+1 −1");
    expect(await steps.nth(1).locator(".step-head code").textContent()).toBe("dates.ts");
    expect(await steps.first().locator(".step-head code").textContent()).toBe("false");
    // A command that ended badly has the icon of what failed.
    expect(await page.locator("[data-part=timeline] .node .icon[data-name=close]").count()).toBe(3);
    // What the model was told names tools and fields.
    for (const at of [2, 3])
      expect(await steps.nth(at).locator(".step-error").textContent()).toBe(
        "The model called this incorrectly and was told why.",
      );
    await context.close();
  });

  it("shows only the card while a decision or an answer is awaited", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    stage.play(chatTurn({ calls: [run("touch pushed")] }), chatTurn({ text: "Not then." }));
    await say(page, "Push it");
    const card = page.getByRole("group", { name: "Run this command?" });
    await card.waitFor();
    expect(await page.locator("[data-part=step]").count()).toBe(0);
    expect(await card.locator(".command").textContent()).toBe("touch pushed");
    await card
      .getByText("Tackle wants to run this on the server’s computer. It can change files there.")
      .waitFor();
    await card.getByRole("button", { name: "Don’t run" }).click();
    await answered(page);
    stage.play(
      chatTurn({ calls: [call("ask_user", { question: "Which?", options: ["This", "That"] })] }),
      chatTurn({ text: "Good." }),
    );
    await say(page, "Ask me");
    await page.getByRole("group", { name: "Which?" }).waitFor();
    expect(await page.locator("article.answer[data-live] [data-part=step]").count()).toBe(0);
    expect(await page.getByRole("textbox", { name: "Message" }).getAttribute("placeholder")).toBe("Reply");
    await page.getByRole("radio", { name: "That" }).check();
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await answered(page);
    await context.close();
  });

  it("has three high buttons in the sheet of a decision on phones, and the log says what it waits for", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, PHONE);
    stage.play(chatTurn({ calls: [run("touch pushed")] }), chatTurn({ text: "Not then." }));
    await say(page, "Push it");
    await page.getByText("Waiting for your decision").waitFor();
    const buttons = page.locator(".choices > button");
    const sizes = await buttons.evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
    expect(sizes.map(({ height, width }) => [height, width])).toEqual(Array(3).fill([48, 350]));
    await page.getByRole("button", { name: "Don’t run" }).click();
    await answered(page);

    // Several are decided one after the other, from the first one on.
    const both = ["touch one", "touch two"];
    stage.play(chatTurn({ calls: both.map(run) }), chatTurn({ text: "Neither then." }));
    await say(page, "Push both");
    await page.getByRole("button", { name: "Decide one by one" }).click();
    for (const command of both) {
      const sheet = page.locator(".decision-sheet:visible");
      await sheet.getByText(command).waitFor();
      expect(await sheet.count()).toBe(1);
      await sheet.getByRole("button", { name: "Don’t run" }).click();
    }
    await page.getByText("Neither then.").waitFor();
    await context.close();
  });

  it("refuses files that can't be used, also if they are chosen before the page knows the person", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    const chosen = Promise.withResolvers<void>();
    await page.route(/\/me$/, async (route) => {
      await chosen.promise;
      await route.continue();
    });
    await page.reload();
    await page.locator("input[type=file]").setInputFiles([
      { name: "clip.mov", mimeType: "video/quicktime", buffer: Buffer.from("no video") },
      { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("some notes") },
    ]);
    chosen.resolve();
    await page.locator(".attachments li:not(.refused-file)", { hasText: "10 bytes" }).waitFor();
    expect(await page.locator(".attachments li").allTextContents()).toEqual([
      expect.stringContaining("notes.txt"),
      expect.stringContaining("clip.mov"),
    ]);
    expect(await page.locator(".refused-file").count()).toBe(1);
    await context.close();
  });

  it("keeps the order in which files were chosen, and tells how long they are", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    const file = (name: string, mimeType: string, text: string) => ({
      name,
      mimeType,
      buffer: Buffer.from(text),
    });
    const chosen = [
      file("first.csv", "text/csv", "a,b\n".repeat(51_000)),
      file("second.txt", "text/plain", "a,b\n".repeat(100)),
      // It is refused at once, which brings nothing forward.
      file("clip.mov", "video/quicktime", "no video"),
      file("third.pdf", "application/pdf", pdfOf(["One", "Two", "Three", "Four"])),
    ];
    const shown = ["first.csv51,000 rows", "second.txt400 bytes", "third.pdf4 pages"];
    // The first one arrives last.
    const second = page.waitForResponse(/\/files\?name=second/);
    await page.route(/\/files\?name=first/, async (route) => {
      await (await second).finished();
      await route.continue();
    });
    await page.locator("input[type=file]").setInputFiles(chosen);
    const tiles = page.locator(".attachments li:not(.refused-file)");
    await expect.poll(() => tiles.allTextContents()).toEqual(shown);
    stage.play(chatTurn({ text: "Merged." }));
    await say(page, "Merge them");
    await answered(page);
    expect(await page.locator(".file-tile").allTextContents()).toEqual(shown);
    await page.reload();
    await expect.poll(() => page.locator(".file-tile").allTextContents()).toEqual(shown);
    await context.close();
  });

  it("gives a title the whole row in the list until the menu is needed", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    const row = page.locator(".session:not([data-current=true])").first();
    await row.waitFor();
    await page.mouse.move(700, 890);
    const room = () =>
      row.locator("a").evaluate((link) => {
        const { paddingInlineEnd } = getComputedStyle(link);
        return link.getBoundingClientRect().width - Number.parseFloat(paddingInlineEnd);
      });
    expect(await room()).toBeGreaterThan(235);
    await row.hover();
    expect(await room()).toBeLessThan(215);

    // What is opened is shown in outline until it has loaded.
    const { promise: loaded, resolve: load } = Promise.withResolvers<void>();
    await page.route("**/sessions/*/messages*", async (route) => {
      await loaded;
      await route.continue();
    });
    await row.locator("a").click();
    await page.locator(".skeleton[data-of=messages]").waitFor();
    load();
    await page.locator("[data-part=asked]").first().waitFor();
    expect(await page.locator(".skeleton").count()).toBe(0);
    await context.close();
  });

  it("names the file of a code block where it is given", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    stage.play(chatTurn({ text: "So:\n\n```ts dates.ts\nconst a = 1;\n```\n" }));
    await say(page, "Show me");
    await answered(page);
    expect(await page.locator("figure.code figcaption > span").textContent()).toBe("dates.ts");
    await context.close();
  });

  it("explains options in a second line, and says afterwards what was answered", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    const question = {
      question: "Which row wins?",
      options: ["The newer one", "The older one"],
      optionDetails: ["By the date in the row", ""],
    };
    stage.play(chatTurn({ calls: [call("ask_user", question)] }), chatTurn({ text: "Merged." }));
    await say(page, "Merge them");
    const options = page.locator("[data-part=question] .option > span");
    await options.first().waitFor();
    expect(await options.allInnerTexts()).toEqual([
      "The newer one\nBy the date in the row",
      "The older one",
      "Something else…",
    ]);
    await page.keyboard.press("Tab");
    await page.getByRole("radio").first().focus();
    await page.keyboard.press("1");
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await answered(page);
    expect(await page.locator(".step-name").textContent()).toMatch(/^You answered “The newer one”/);
    await page.reload();
    await page.getByText(/^You answered “The newer one”/).waitFor();
    await context.close();
  });

  it("has the message box as the first stop of the keyboard", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    const box = page.getByRole("textbox", { name: "Message" });
    await box.waitFor();
    const skip = page.getByRole("link", { name: "Go to the message box" });
    await skip.focus();
    const isFirst = await skip.evaluate((link) => document.querySelector("a, button, [tabindex]") === link);
    expect(isFirst).toBe(true);
    expect((await skip.boundingBox())?.height).toBeGreaterThan(30);
    await page.keyboard.press("Enter");
    expect(await box.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(new URL(page.url()).hash).not.toContain("message");
    await context.close();
  });

  it("finds an action by most of its name, and shows what was found without marks", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    stage.play(chatTurn({ text: "> We met.\n>\n> Ada orders **forty** zebra desks." }));
    await say(page, "Minutes");
    await answered(page);
    await page.keyboard.press("Control+k");
    const field = page.getByRole("dialog").getByRole("combobox");
    expect(await page.getByRole("dialog").getByRole("button", { name: "Close" }).count()).toBe(0);
    await field.fill("zebra");
    const found = page.locator("[data-part=palette] [role=option]", { hasText: "Minutes" });
    await found.waitFor();
    expect((await found.allInnerTexts()).map((text) => text.replaceAll("\u200b", ""))).toEqual([
      "Minutes\nWe met. Ada orders forty zebra desks.",
    ]);
    // Enter means what is typed, also before the server has answered.
    await field.fill("shortcuts");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: /shortcuts/i }).waitFor();
    await context.close();
  });

  it("names a page while it is being built, and shows that it is", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    const { turn, release } = heldTurn("", "<h1>Hello</h1>");
    const make = call("generate_artifact", { type: "html", prompt: "A page", title: "Move budget" });
    stage.play(chatTurn({ calls: [make] }), turn, chatTurn({ text: "There it is." }));
    await say(page, "Build it");
    const panel = page.locator("[data-part=panel]");
    await panel.getByText("Building…").waitFor();
    expect(await panel.getAttribute("aria-label")).toBe("Move budget");
    expect(await page.locator("[data-part=artifact-card] .artifact-title").textContent()).toBe("Move budget");
    release();
    await page.getByText("There it is.").waitFor();
    expect(await panel.getByText("Building…").count()).toBe(0);
    await context.close();
  });

  it("gives the focus of a row that is archived to the next one", async () => {
    const long = `Older${" and longer".repeat(8)}`;
    for (const message of ["Oldest", long, "Newest"]) {
      stage.play(chatTurn({ text: "Good." }));
      await ask(stage.server, "POST", "/chat", {}, { message, stream: false });
    }
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    const rows = page.locator(".session");
    await rows.nth(2).waitFor();
    const next = await rows.nth(2).locator("a").textContent();
    await rows.nth(1).getByRole("button").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await page.getByText(/^Archived “Older.{20,40}…”$/).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(next);
    // The menu of the title goes with its conversation.
    await rows.first().locator("a").click();
    await page.locator(".bar-title").getByRole("button").click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("message-box");
    await context.close();
  });

  it("closes the panel that opened for a page which couldn’t be built", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    const { turn, release } = heldTurn("", "");
    const make = call("generate_artifact", { type: "html", prompt: "A page", title: "Nothing" });
    // The model writes nothing, and is refused when it is asked once more.
    stage.play(chatTurn({ calls: [make] }), turn, errorTurn(401), errorTurn(401));
    await say(page, "Build it");
    await page.locator("[data-part=panel]").waitFor();
    release();
    await page.getByText("Couldn’t build Nothing").waitFor();
    expect(await page.locator("[data-part=panel]").count()).toBe(0);
    await context.close();
  });
});
