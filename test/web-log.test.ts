import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, expectAccessible, openPage, say } from "./support/browser.ts";
import { listen } from "./support/heard.ts";
import { startServer, temporaryFolder } from "./support/server.ts";
import { heldTurn, openStage, type WebStage } from "./support/web.ts";
import { INTERNAL, seenText } from "./support/words.ts";

const workspace = temporaryFolder();
let stage: WebStage;

const call = (name: string, args: Record<string, unknown>) => ({ name, arguments: args });
const time = (timeZone: string) => call("get_time", { timeZone });
const command = (text: string) => call("execute_command", { command: text });

describe.skipIf(!hasBrowser())("the conversation in the web app", () => {
  beforeAll(async () => {
    stage = await openStage({ TACKLE_ROOTS: workspace.path, TACKLE_UNSAFE_COMMANDS: "1" });
  });
  afterAll(async () => {
    await stage?.close();
    workspace.remove();
  });

  it("folds a long message of the person, and shows all of it when asked to", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    stage.play(chatTurn({ text: "Read." }));
    await say(page, "Boats float on water. ".repeat(900));
    await page.getByText("Read.", { exact: true }).waitFor();
    await answered(page);
    const height = async () => (await page.locator("[data-part=asked]").boundingBox())?.height ?? 0;
    expect(await height()).toBeLessThan(400);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Show the whole message" }).click();
    await expect.poll(height).toBeGreaterThan(2_000);
    await page.getByRole("button", { name: "Show less" }).click();
    await expect.poll(height).toBeLessThan(400);
    await context.close();
  });

  it("shows how full the model’s window is once it is half full, and summarizes when told to", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const gauge = page.getByRole("button", { name: /of the context is used$/ });
    stage.play(chatTurn({ text: "Short.", usage: { inputTokens: 20_000, outputTokens: 10 } }));
    await say(page, "one");
    await page.getByText("Short.", { exact: true }).waitFor();
    await answered(page);
    expect(await gauge.count()).toBe(0);
    stage.play(chatTurn({ text: "Long.", usage: { inputTokens: 96_000, outputTokens: 10 } }));
    await say(page, "two");
    await page.getByText("Long.", { exact: true }).waitFor();
    await answered(page);
    expect(await gauge.getAttribute("aria-label")).toBe("75% of the context is used");
    await gauge.focus();
    await page.keyboard.press("Enter");
    const details = page.getByRole("dialog", { name: "Context" });
    await details.getByText("96k of 128k tokens").waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await details.waitFor({ state: "detached" });
    expect(await gauge.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    stage.play(chatTurn({ text: "They greeted each other." }));
    const summarized = page.waitForResponse(/\/sessions\/[^/]+\/compact$/);
    await details.getByRole("button", { name: "Summarize now" }).click();
    expect((await summarized).request().method()).toBe("POST");
    await details.waitFor({ state: "detached" });
    await context.close();
  });

  it("shows what a summary says, also after a reload", async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder.path, { TACKLE_DEMO_CONTEXT: "12000" });
    const { page, context } = await openPage(stage.browser, server.url);
    const gauge = page.getByRole("button", { name: /of the context is used$/ });
    for (let part = 1; part <= 3; part++) {
      await say(page, `Chapter ${part} is about zebras. ${"The herd rests beside the lake. ".repeat(250)}`);
      await expect.poll(() => page.locator("article.answer:not([data-live])").count()).toBe(part);
      await answered(page);
    }
    await gauge.click();
    const details = page.getByRole("dialog", { name: "Context" });
    const summarized = page.waitForResponse(/\/sessions\/[^/]+\/compact$/);
    await details.getByRole("button", { name: "Summarize now" }).click();
    expect((await summarized).status()).toBe(200);
    await page.reload();
    await gauge.click();
    const row = details.getByRole("list", { name: "What was summarized" }).getByRole("button").last();
    expect(await row.textContent()).toMatch(/^\d.*messages: \d+ · [\d.]+k? → [\d.]+k? tokens$/);
    expect(await details.locator(".prose").count()).toBe(0);
    await row.click();
    await details.locator(".prose").getByText("Chapter 1 is about zebras.").first().waitFor();
    await expectAccessible(page);
    await context.close();
    await server.stop();
    folder.remove();
  });

  it("says what of the list is being done, and shows the whole list among the steps", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const items = [
      { text: "Read the notes", state: "done" },
      { text: "Write the summary", state: "doing" },
    ];
    stage.play(chatTurn({ calls: [call("todo", { items })] }), chatTurn({ calls: [command("sleep 30")] }));
    await say(page, "sum up the notes");
    await page.getByRole("button", { name: / once$/ }).click();
    const line = page.locator("[data-part=step] .step-line");
    await line.getByText("Write the summary · 2 of 2").waitFor();
    expect(await page.locator(".todo").count()).toBe(0);
    await line.click();
    await page.locator(".timeline .todo li").nth(1).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Stop" }).click();
    await answered(page);
    await context.close();
  });

  it("shows a part of the work as its own timeline, with its state, and stops it alone", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const held = heldTurn("I count the zebras.", " There are nine.");
    stage.play(
      chatTurn({ calls: [call("delegate", { task: "Count the zebras on all the plains around Nairobi" })] }),
      chatTurn({ calls: [time("Africa/Nairobi")] }),
      held.turn,
      chatTurn({ text: "Nobody counted them." }),
    );
    await say(page, "how many are there?");
    const line = page.locator("[data-part=step] > .step-line").first();
    await line.getByText(/^Working on Count the zebras on all the plains a[a-z]*…$/).waitFor();
    await line.click();
    const part = page.getByRole("region", { name: "Part of the work" });
    await part.getByText("Working…").waitFor();
    await part.locator("[data-part=timeline]").getByText("Checked the time").waitFor();
    await part.getByText("I count the zebras.").waitFor();
    await expectAccessible(page);
    await part.getByRole("button", { name: "Stop this part" }).click();
    await part.getByText("Stopped", { exact: true }).waitFor();
    await page.getByText("Nobody counted them.").waitFor();
    await answered(page);
    held.release();
    await page.reload();
    await page.getByText("Nobody counted them.").waitFor();
    await line.click();
    await part.getByText("Stopped", { exact: true }).waitFor();
    await part.locator("[data-part=timeline]").getByText("Checked the time").waitFor();
    expect(await part.getByRole("button", { name: "Stop this part" }).count()).toBe(0);
    expect(await page.getByText("You stopped this answer.").count()).toBe(0);
    await context.close();
  });

  it("has one line about everything that was thought and done, and remembers that it was unfolded", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\\n");
    stage.play(
      chatTurn({ reasoning: "First the time.", calls: [time("Asia/Tokyo"), time("Europe/Paris")] }),
      chatTurn({ reasoning: "Now I know.", calls: [command(`printf '${lines}' > out.txt; cat out.txt`)] }),
      chatTurn({ text: "Two cities." }),
    );
    await say(page, "the time");
    await page.getByRole("button", { name: "Run once" }).click();
    await page.getByText("Two cities.").waitFor();
    await answered(page);
    const step = page.locator("[data-part=step]");
    expect(await step.count()).toBe(1);
    expect(await step.textContent()).toMatch(/^Checked the time in 2 cities and ran printf/);
    expect(await seenText(page)).not.toMatch(INTERNAL);
    await step.getByRole("button").first().click();
    await step.getByRole("button", { name: "Show all 30 lines" }).click();
    await step.getByText("line 29").waitFor();
    await page
      .getByRole("link", { name: "New chat" })
      .or(page.getByRole("button", { name: "New chat" }))
      .first()
      .click();
    await page.getByRole("link", { name: "the time" }).click();
    await page.locator("[data-part=timeline]").waitFor();
    await context.close();
  });

  it("tells screen readers little: the beginning, a decision, and the end", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    stage.play(
      chatTurn({ calls: [time("Asia/Tokyo")] }),
      chatTurn({ calls: [command("touch made.txt")] }),
      chatTurn({ text: "word ".repeat(200), chunkSize: "word" }),
    );
    const heard = await listen(page);
    await say(page, "do both");
    await page.getByRole("button", { name: "Run once" }).click();
    await answered(page);
    await expect
      .poll(heard)
      .toEqual(["Answering", "Your decision is needed: Run this command?", "Answer complete"]);
    await context.close();
  });

  it("shows no internal words while it waits, asks or has failed", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    stage.play(
      chatTurn({
        calls: [command("touch made.txt"), command("touch second.txt")],
      }),
    );
    await say(page, "two things");
    await page.getByText("2 things need your decision").waitFor();
    expect(await seenText(page)).not.toMatch(INTERNAL);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("You stopped this answer.").waitFor();
    stage.play(errorTurn(429, { retryAfter: 600 }));
    await say(page, "again");
    await page.locator("[data-part=problem]").waitFor();
    expect(await seenText(page)).not.toMatch(INTERNAL);
    await context.close();
  });

  it("aligns numbers, fades wide tables, folds details, links footnotes and wraps long lines of code, and colors changes", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const columns = Array.from({ length: 12 }, (_, at) => `Column number ${at}`);
    const text = [
      "| Item | Price |\n| --- | --- |\n| Desk | €10,800 |\n| Chair | €1,200 |",
      `|${columns.join("|")}|\n|${columns.map(() => "---").join("|")}|\n|${columns.map((_, at) => `${at}23,456`).join("|")}|`,
      "It is so[^1].\n\n[^1]: Because of the *sources*.",
      "<details>\n<summary>More of it</summary>\n\nThe **inside**.\n\n</details>",
      "```diff\n-old line\n+new line\n```",
      `\`\`\`ts\nconst long = "${"x".repeat(120)}";\n\`\`\``,
    ].join("\n\n");
    stage.play(chatTurn({ text }));
    await say(page, "```\nfor x in y:\n  print(x)\n```\nwhat is this?");
    await answered(page);
    expect(await page.locator(".asked .pasted").textContent()).toBe("for x in y:\n  print(x)");
    const price = page.getByRole("cell", { name: "€10,800" });
    expect(await price.evaluate((cell) => getComputedStyle(cell).textAlign)).toBe("end");
    await expect.poll(() => page.locator(".table").nth(1).getAttribute("data-fade")).toBe("true");
    expect(await page.locator(".table").first().getAttribute("data-fade")).toBe("false");
    await page.getByRole("button", { name: "Footnote 1" }).click();
    expect(await page.locator(".footnote").textContent()).toBe("1. Because of the sources.");
    expect(await page.getByText("The inside.").isVisible()).toBe(false);
    await page.getByText("More of it").click();
    expect(await page.getByText("The inside.").isVisible()).toBe(true);
    await page.getByRole("button", { name: "Wrap", exact: true }).click();
    const code = page.locator("figure.code pre").last();
    const [removed, added] = [page.locator(".token-deleted"), page.locator(".token-inserted")];
    await added.waitFor();
    const ground = (line: typeof added) => line.evaluate((one) => getComputedStyle(one).backgroundColor);
    expect(await ground(removed)).toBe("rgb(253, 236, 235)");
    expect(await ground(added)).toBe("rgb(228, 245, 232)");
    expect(await code.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await expectAccessible(page);
    await context.close();
  });

  it("offers to take back what an answer has changed", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    stage.play(
      chatTurn({ calls: [call("filesystem", { operation: "write", path: "new.txt", content: "hello\n" })] }),
      chatTurn({ text: "Written." }),
    );
    await say(page, "write it");
    await page.getByRole("button", { name: "Change once" }).click();
    await answered(page);
    const card = page.locator(".changed-files");
    await card.getByText("Changed new.txt").waitFor();
    await card.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("menuitem", { name: "Undo what this answer changed" }).click();
    await page.getByText("Undid 1 change.", { exact: true }).waitFor();
    expect(existsSync(join(workspace.path, "new.txt"))).toBe(false);
    await context.close();
  });

  it("takes back what all answers of a conversation have changed", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    for (const name of ["one.txt", "two.txt"]) {
      stage.play(
        chatTurn({ calls: [call("filesystem", { operation: "write", path: name, content: "hello\n" })] }),
        chatTurn({ text: `Wrote ${name}.` }),
      );
      await say(page, `write ${name}`);
      await page.getByRole("button", { name: "Change once" }).click();
      await page.getByText(`Wrote ${name}.`).waitFor();
      await answered(page);
    }
    await page.locator(".changed-files").last().getByRole("button", { name: "Undo" }).click();
    await page.getByRole("menuitem", { name: "Undo everything in this conversation" }).click();
    await page.getByText("Undid 2 changes.", { exact: true }).waitFor();
    for (const name of ["one.txt", "two.txt"]) expect(existsSync(join(workspace.path, name))).toBe(false);
    await context.close();
  });
});
