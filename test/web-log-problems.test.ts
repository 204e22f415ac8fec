import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, expectAccessible, openPage, say } from "./support/browser.ts";
import { listen } from "./support/heard.ts";
import { heldTurn, openStage, type WebStage } from "./support/web.ts";

let stage: WebStage;
let page: Page;
let context: BrowserContext;

const box = () => page.locator("[data-part=problem]");
const cut = () => ({ ...chatTurn({ text: "Half an answer that is cut" }), faults: { cutAfterFrames: 3 } });

/** One box with one thing to do, at most one countdown, and nothing internal unless the details are unfolded. */
async function expectOneRemedy(title: RegExp, action: string): Promise<void> {
  await box().getByText(title).waitFor();
  expect(await box().count()).toBe(1);
  const enabled = box().locator("button:enabled");
  expect(await enabled.allInnerTexts()).toEqual([action]);
  expect(await page.getByRole("button", { name: "Ask again", exact: true }).count()).toBe(0);
  const text = (await box().textContent()) ?? "";
  expect(text.match(/\bin \d+ (?:s|min|h)\b/g)?.length ?? 0).toBeLessThanOrEqual(1);
  expect(text).not.toMatch(/\w_\w|gpt-4o|openai\/|[0-9a-f]{8}-/);
  await expectAccessible(page);
}

describe.skipIf(!hasBrowser())("what went wrong, in the web app", () => {
  beforeAll(async () => {
    stage = await openStage({ TACKLE_MAX_ITERATIONS: "3" });
  });
  afterAll(() => stage?.close());

  async function open(): Promise<void> {
    ({ page, context } = await openPage(stage.browser, stage.server.url));
    context.setDefaultTimeout(25_000);
  }

  it("counts down to the next try, and tries at once when it is told to", async () => {
    await open();
    stage.play(errorTurn(503, { retryAfter: 30 }), chatTurn({ text: "Now it came." }));
    const heard = await listen(page);
    await say(page, "hello?");
    await expectOneRemedy(/OpenAI is busy\. Trying again in \d+ s\./, "Try now");
    await box().getByText("Nothing is lost. Try 2 of").waitFor();
    const left = await box().textContent();
    await expect.poll(() => box().textContent()).not.toBe(left);
    expect(await heard()).toEqual(["Answering", "OpenAI is busy. Trying again…"]);
    await box().getByRole("button", { name: "Try now" }).click();
    await page.getByText("Now it came.").waitFor({ timeout: 15_000 });
    expect(await box().count()).toBe(0);
    await context.close();
  });

  it("says of an answer that broke off that it goes on, not that the service is busy", async () => {
    await open();
    stage.play(cut(), errorTurn(503, { retryAfter: 30 }), chatTurn({ text: " … and the rest." }));
    const heard = await listen(page);
    await say(page, "hello?");
    await expectOneRemedy(/The answer broke off\. It goes on in \d\d s\./, "Try now");
    expect((await heard()).at(-1)).toBe("The answer broke off. Going on…");
    await box().getByRole("button", { name: "Try now" }).click();
    await page.getByText("… and the rest.").waitFor();
    expect(await box().count()).toBe(0);
    await context.close();
  });

  it("offers other models once the service has given up, with the cause in the details", async () => {
    await open();
    stage.play(errorTurn(503, { retryAfter: 600 }), chatTurn({ text: "At last." }));
    await say(page, "hello?");
    await expectOneRemedy(/OpenAI still doesn’t answer\./, "Try again");
    await box().getByText("Details").click();
    await box().getByText("UPSTREAM_ERROR · openai/gpt-4o").waitFor();
    await box().getByRole("button", { name: "Copy the details" }).waitFor();
    // After a reload the conversation may be there before the models are.
    const models = Promise.withResolvers<void>();
    await page.route("**/models", (route) => models.promise.then(() => route.continue()));
    await page.reload();
    await box().waitFor();
    models.resolve();
    // Until the models are there, the vendor is called “Openai”, and there is no other model to offer.
    await box()
      .getByText(/OpenAI still doesn’t answer\./)
      .waitFor();
    await box().getByRole("button", { name: "Try again" }).click();
    await page.getByRole("menuitem", { name: "Try again" }).click();
    await page.getByText("At last.").waitFor();
    await context.close();
  });

  it("leads to the keys when one was not accepted", async () => {
    await open();
    stage.play(errorTurn(401, { message: "Incorrect API key provided", code: "invalid_api_key" }));
    await say(page, "hello?");
    await expectOneRemedy(/OpenAI didn’t accept the key\./, "Check the key");
    await box().getByRole("button", { name: "Check the key" }).click();
    await expect.poll(() => page.evaluate(() => location.hash)).toBe("#/settings/keys");
    // A new one can be pasted at once.
    const field = page.getByRole("dialog").getByLabel("Key for OpenAI");
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    await context.close();
  });

  it("continues an answer that broke off", async () => {
    await open();
    stage.play(cut(), cut(), cut(), cut(), chatTurn({ text: "and the rest." }));
    await say(page, "a story");
    await expectOneRemedy(/^The answer broke off\.$/, "Continue");
    await box()
      .getByText(/OpenAI closed the connection after [\d.]+ s\./)
      .waitFor();
    await box().getByRole("button", { name: "Continue" }).click();
    await page.getByText("and the rest.").waitFor();
    await context.close();
  });

  it("says once why an answer ended early, and continues it", async () => {
    await open();
    const look = chatTurn({ calls: [{ name: "get_time", arguments: { timeZone: "Asia/Tokyo" } }] });
    const ends = [
      {
        turns: [chatTurn({ text: "It begins", finishReason: "length" })],
        why: "This answer got too long and stopped.",
      },
      { turns: [look, look, look], why: "Stopped after 3 steps." },
    ];
    for (const { turns, why } of ends) {
      stage.play(...turns, chatTurn({ text: "and goes on." }));
      await say(page, "a story");
      await answered(page);
      const answer = page.locator("article.answer").last();
      await answer.getByText(why).waitFor();
      expect((await answer.textContent())?.match(/stopped/gi)).toHaveLength(1);
      await answer.getByRole("button", { name: "Continue" }).click();
      await page.locator("article.answer").last().getByText("and goes on.").waitFor();
      await answered(page);
      // It goes on already.
      expect(await page.getByRole("button", { name: "Continue" }).count()).toBe(0);
    }
    await context.close();
  });

  it("keeps a message that the server could not take, and sends it again", async () => {
    await open();
    await page.route("**/chat", (route) =>
      route.fulfill({ status: 500, json: { error: "Something went wrong.", code: "INTERNAL" } }),
    );
    await say(page, "hello?");
    await expectOneRemedy(/Something went wrong on the server\./, "Try again");
    await page.unroute("**/chat");
    stage.play(chatTurn({ text: "Here I am." }));
    await box().getByRole("button", { name: "Try again" }).click();
    await page.getByText("Here I am.").waitFor();
    await context.close();
  });

  it("keeps what is sent offline, also through a reload, and sends it once it is back", async () => {
    await open();
    stage.play(chatTurn({ text: "Online." }), chatTurn({ text: "Back again." }));
    await say(page, "first");
    await answered(page);
    await context.setOffline(true);
    await page.getByText("You’re offline. Answers keep going on the server").waitFor();
    await say(page, "second");
    await expectOneRemedy(/You’re offline\./, "Try now");
    await box().getByText("Sends when you’re back.").waitFor();
    await context.setOffline(false);
    await page.getByText("Back online.").waitFor();
    await page.getByText("Back again.").waitFor();
    await answered(page);
    expect(await box().count()).toBe(0);
    expect(await page.locator(".asked").count()).toBe(2);

    // What is sent into an answer meanwhile goes into it then, or after it where that has ended.
    for (const isOver of [false, true]) {
      const { turn, release } = heldTurn(`Still ${isOver} `, "here.");
      stage.play(turn, chatTurn({ text: `And after ${isOver}.` }));
      await say(page, "third");
      await page.getByText(`Still ${isOver}`).waitFor();
      await context.setOffline(true);
      await page.getByText("You’re offline. Answers keep going on the server").waitFor();
      await say(page, "fourth");
      await page.locator(".questions-left").getByText("Sends when you’re back.").waitFor();
      if (isOver) release();
      await page.waitForTimeout(isOver ? 500 : 0);
      await context.setOffline(false);
      if (!isOver) await page.locator("[data-part=queue]").getByText("fourth").waitFor();
      release();
      await page.getByText(`And after ${isOver}.`).waitFor();
      await answered(page);
    }

    // What can't be read must not keep the page from opening.
    await page.evaluate(() => localStorage.setItem("tackle-outbox", "{"));
    await page.reload();
    await page.getByText("And after true.").waitFor();
    await context.close();
  });

  it.each([
    ["length", "This answer got too long and stopped.", "Continue"],
    ["content_filter", "The model’s filter ended this answer.", "Ask again with…"],
  ])("says why an answer ended early, and how to go on: %s", async (finishReason, sentence, action) => {
    await open();
    stage.play(chatTurn({ text: "So far", finishReason }));
    await say(page, "a long one");
    await page.getByText(sentence).waitFor();
    await page.locator(".ending").getByRole("button", { name: action }).waitFor();
    await context.close();
  });

  // The last one: the server remembers how much this model could not take.
  it("offers a summary where the conversation is too long for the model", async () => {
    await open();
    const tooLong = () =>
      errorTurn(400, {
        message: "This model's maximum context length is 128000 tokens.",
        type: "invalid_request_error",
        code: "context_length_exceeded",
      });
    stage.play(tooLong(), tooLong());
    await say(page, "hello?");
    await expectOneRemedy(/This conversation is too long for GPT-4o\./, "Summarize and go on");
    await context.close();
  });
});

describe.skipIf(!hasBrowser())("the limit of a guest", () => {
  beforeAll(async () => {
    const chat = { guest: 2, account: 5 };
    stage = await openStage({
      TACKLE_AUTH: "guest",
      TACKLE_LIMITS: JSON.stringify({ windowMinutes: 300, chat }),
    });
  });
  afterAll(() => stage?.close());

  it("says what is left, and when it is used up", async () => {
    ({ page, context } = await openPage(stage.browser, stage.server.url));
    stage.play(chatTurn({ text: "One." }), chatTurn({ text: "Two." }));
    await page.getByText("2 questions left until").waitFor();
    await say(page, "one");
    await page.getByText("1 question left until").waitFor();
    await answered(page);
    await say(page, "two");
    await answered(page);
    await expect.poll(() => page.getByText("left until").count()).toBe(0);
    await say(page, "three");
    await expectOneRemedy(/You’ve used all 2 questions\./, "Sign in for more");
    await box()
      .getByText(/You can ask again at \d{1,2}:\d\d.*, in \d+ h/)
      .waitFor();
    await context.close();
  });
});

describe.skipIf(!hasBrowser())("the budget of a guest", () => {
  beforeAll(async () => {
    stage = await openStage({
      TACKLE_AUTH: "guest",
      TACKLE_PRICES: '{"openai/gpt-4o":{"input":1,"output":1}}',
      TACKLE_LIMITS: '{"costUsd":{"guest":1.5,"account":9}}',
    });
  });
  afterAll(() => stage?.close());

  it("is named when it is used up, instead of offering to continue", async () => {
    ({ page, context } = await openPage(stage.browser, stage.server.url));
    stage.play(chatTurn({ text: "Here.", usage: { inputTokens: 2_000_000, outputTokens: 0 } }));
    await say(page, "one");
    await answered(page);
    await say(page, "two");
    await page
      .getByText("Your $1.50 are used up. Some of it is free again as earlier costs get older.")
      .waitFor();
    expect(await page.getByRole("button", { name: "Continue" }).count()).toBe(0);
    await page.getByRole("button", { name: "Sign in for more" }).waitFor();
    await context.close();
  });
});
