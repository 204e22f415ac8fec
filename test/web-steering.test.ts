import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, expectAccessible, openPage, say } from "./support/browser.ts";
import { openStage, type WebStage } from "./support/web.ts";

let stage: WebStage;

/** An answer that does not end before the gate is opened. */
function heldAnswer(text: string) {
  const gate = Promise.withResolvers<void>();
  const whole = chatTurn({ text, chunkSize: "word" });
  const frames = [...whole.frames.slice(0, -2), { hold: gate.promise }, ...whole.frames.slice(-2)];
  return { turn: { ...whole, frames }, open: gate.resolve };
}

/** Milliseconds from the key to the request that it sent, or -1 before that. */
function sentAfter(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { pressedAt } = globalThis as unknown as { pressedAt: number };
    const sent = performance
      .getEntriesByType("resource")
      .find(({ name, startTime }) => /\/runs\/[^/]+\/messages$/.test(name) && startTime >= pressedAt);
    return sent ? sent.startTime - pressedAt : -1;
  });
}

describe.skipIf(!hasBrowser())("speaking to an answer that is being written", () => {
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  it("closes with Escape a dialog that is above an answer, which goes on", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const held = heldAnswer("The whole of it.");
    stage.play(held.turn);
    await say(page, "tell me everything");
    await page.getByText("The whole of it.").waitFor();
    for (const item of ["Rename", "Move to project"]) {
      await page.getByRole("button", { name: "Conversation menu" }).click();
      await page.getByRole("menuitem", { name: item }).click();
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
    held.open();
    await answered(page);
    expect(await page.getByText("You stopped this answer.").count()).toBe(0);
    await context.close();
  });

  it("queues what is typed, keeps it through a reload, and shows it where it took effect", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const first = heldAnswer("The first part.");
    stage.play(first.turn, chatTurn({ text: "Now in red." }), chatTurn({ text: "And the sea." }));
    await say(page, "paint a house");
    await page.getByText("The first part.").waitFor();
    const field = page.getByRole("textbox", { name: "Message", exact: true });
    await field.fill("make it red");
    await page.evaluate(() =>
      addEventListener("keydown", ({ timeStamp }) => Object.assign(globalThis, { pressedAt: timeStamp }), {
        capture: true,
        once: true,
      }),
    );
    await field.press("ControlOrMeta+Enter");
    await expect.poll(() => sentAfter(page)).toBeGreaterThanOrEqual(0);
    expect(await sentAfter(page)).toBeLessThan(500);
    await field.fill("then paint the sea");
    await field.press("Enter");
    await expect.poll(() => field.inputValue()).toBe("");
    await field.fill("never mind");
    await field.press("Enter");
    const rows = page.getByRole("list", { name: "Messages that wait" }).getByRole("listitem");
    await expect.poll(() => rows.count()).toBe(3);
    await expectAccessible(page);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(3);
    await rows.filter({ hasText: "never mind" }).getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    first.open();
    await page.getByText("Now in red.").waitFor();
    await page.getByRole("note", { name: "You, while it worked" }).getByText("make it red").waitFor();
    // What waited for the end starts the next turn by itself.
    await page.getByText("And the sea.").waitFor();
    await answered(page);
    expect(await rows.count()).toBe(0);
    expect(await page.getByText("then paint the sea").count()).toBe(1);
    expect(await page.getByText("never mind").count()).toBe(0);
    await context.close();
  });

  it("queues what is sent from another device at the same time, and shows both answers there", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    stage.play(chatTurn({ text: "Hello." }));
    await say(page, "hi");
    await answered(page);
    const other = await openPage(stage.browser, page.url());
    await other.page.getByText("Hello.").waitFor();
    const first = heldAnswer("A house.");
    stage.play(first.turn, chatTurn({ text: "The sea." }));
    await say(page, "paint a house");
    await page.getByText("A house.").waitFor();
    await say(other.page, "paint the sea");
    const rows = other.page.getByRole("list", { name: "Messages that wait" }).getByRole("listitem");
    await rows.filter({ hasText: "paint the sea" }).waitFor();
    await other.page.getByText("A house.").waitFor();
    expect(await other.page.locator("[data-part=problem]").count()).toBe(0);
    first.open();
    await other.page.getByText("The sea.").waitFor();
    await answered(other.page);
    expect(await other.page.locator(".asked").allInnerTexts()).toEqual([
      "hi",
      "paint a house",
      "paint the sea",
    ]);
    await other.context.close();
    await context.close();
  });

  it("sends what waits into the answer with Ctrl Enter: a row, and from the empty field the first one", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    // Nothing here depends on time: the answer is held until both rows have changed.
    const first = heldAnswer("It begins.");
    stage.play(first.turn, chatTurn({ text: "In blue, with a sail." }));
    await say(page, "paint a boat");
    await page.getByText("It begins.").waitFor();
    const field = page.getByRole("textbox", { name: "Message", exact: true });
    const rows = page.locator("[data-part=queue] li");
    for (const text of ["in blue", "with a sail"]) {
      await field.fill(text);
      await field.press("Enter");
      await rows.filter({ hasText: text }).getByText("after this").waitFor();
      expect(await field.inputValue()).toBe("");
    }
    await rows.nth(1).getByRole("button", { name: "Send now" }).focus();
    await page.keyboard.press("ControlOrMeta+Enter");
    const sail = rows.filter({ hasText: "with a sail" });
    await sail.getByText("with the next step").waitFor();
    expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
    const blue = rows.filter({ hasText: "in blue" });
    expect(await blue.getByText("after this").count()).toBe(1);
    await page.keyboard.press("ControlOrMeta+Enter");
    await blue.getByText("with the next step").waitFor();
    first.open();
    await page.getByText("In blue, with a sail.").waitFor();
    await answered(page);
    const said = page.getByRole("note", { name: "You, while it worked" });
    expect((await said.allTextContents()).sort()).toEqual(["in blue", "with a sail"]);
    expect(await rows.count()).toBe(0);
    expect(await page.locator("article.answer").count()).toBe(1);
    await context.close();
  });

  it("queues what is sent before the server has taken the question, and leaves what is typed after it", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const first = heldAnswer("The first part.");
    stage.play(first.turn, chatTurn({ text: "And the sea." }));
    const taken = Promise.withResolvers<void>();
    await page.route("**/chat", (route) => taken.promise.then(() => route.continue()));
    await say(page, "paint a house");
    const field = page.getByRole("textbox", { name: "Message", exact: true });
    await field.fill("then the sea");
    await field.press("Enter");
    await field.press("Enter");
    await page.keyboard.type(" and more");
    taken.resolve();
    const rows = page.getByRole("list", { name: "Messages that wait" }).getByRole("listitem");
    await rows.filter({ hasText: "then the sea" }).waitFor();
    expect(await rows.count()).toBe(1);
    expect(await field.inputValue()).toBe("and more");
    first.open();
    await page.getByText("And the sea.").waitFor();
    await answered(page);
    expect(await page.locator("[data-part=asked]").allTextContents()).toEqual([
      "paint a house",
      "then the sea",
    ]);
    await field.fill("");
    await context.close();
  });

  it("gives back what waited for an answer that was stopped", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const first = heldAnswer("It begins.");
    stage.play(first.turn);
    await say(page, "write a book");
    await page.getByText("It begins.").waitFor();
    const field = page.getByRole("textbox", { name: "Message", exact: true });
    await field.fill("with pictures");
    await field.press("Enter");
    const row = page.locator("[data-part=queue] li");
    await row.getByText("after this").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await row.getByText("Paused").waitFor();
    await page.reload();
    await row.getByText("Paused").waitFor();
    stage.play(chatTurn({ text: "With pictures, then." }));
    await row.getByRole("button", { name: "Send", exact: true }).click();
    first.open();
    await page.getByText("With pictures, then.").waitFor();
    expect(await row.count()).toBe(0);
    await context.close();
  });

  it("keeps the other paused messages when one of them, or a new one, is sent", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const first = heldAnswer("It starts.");
    stage.play(first.turn);
    await say(page, "begin");
    await page.getByText("It starts.").waitFor();
    const rows = page.locator("[data-part=queue] li");
    for (const text of ["second thing", "third thing"]) {
      await say(page, text);
      await rows.filter({ hasText: text }).getByText("after this").waitFor();
    }
    await page.getByRole("button", { name: "Stop" }).click();
    await rows.first().getByText("Paused").waitFor();
    const second = heldAnswer("New words.");
    stage.play(second.turn, chatTurn({ text: "Second done." }), chatTurn({ text: "Third done." }));
    await say(page, "new thing");
    await page.getByText("New words.").waitFor();
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([
        expect.stringMatching(/second thing\s+after this/),
        expect.stringMatching(/third thing\s+after this/),
      ]);
    first.open();
    second.open();
    await page.getByText("Second done.").waitFor();
    await page.getByText("Third done.").waitFor();
    expect(await rows.count()).toBe(0);
    await context.close();
  });

  it("asks a question with buttons and a field for own words", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const asks = (question: object) =>
      chatTurn({ calls: [{ name: "ask_user", arguments: question as Record<string, unknown> }] });
    stage.play(
      asks({ question: "Which color?", options: ["red", "blue"] }),
      asks({ question: "What name?", default: "Ada" }),
      asks({ question: "Which size?", options: ["small", "large"] }),
      chatTurn({ text: "Thank you." }),
    );
    await say(page, "ask me");
    await page.getByText("Which color?").first().waitFor();
    await expectAccessible(page);
    await page.reload();
    const answer = page.getByRole("button", { name: "Answer", exact: true });
    expect(await answer.isDisabled()).toBe(true);
    await page.getByRole("radio", { name: "red" }).focus();
    await page.keyboard.press("2");
    await answer.click();
    await page.getByText("Without an answer: Ada").waitFor();
    await page.getByRole("textbox", { name: "Your answer" }).fill("Grace");
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    // What is written in the message field answers as well.
    await page.getByText("Which size?").first().waitFor();
    await say(page, "in between");
    await page.getByText("Thank you.").waitFor();
    expect(await page.getByRole("textbox", { name: "Message", exact: true }).inputValue()).toBe("");
    await answered(page);
    const asked = JSON.stringify(stage.upstream.requests.at(-1)?.body);
    expect(asked).toContain("The person chose: blue");
    expect(asked).toContain("The person answered: Grace");
    expect(asked).toContain("The person answered: in between");
    await context.close();
  });
});
