import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, openMovingPage as openPage, say } from "./support/browser.ts";
import { DESK, layoutShift, PHONE } from "./support/look.ts";
import { openStage, type WebStage } from "./support/web.ts";

let stage: WebStage;
const call = (name: string, args: object) => chatTurn({ calls: [{ name, arguments: args }] });
const SENTENCE = "The sea was quiet that morning, and the fishermen stood at the `quay` with their hands. ";
const TEXT = [
  "## The sea",
  SENTENCE.repeat(3),
  `- one point\n- ${SENTENCE}\n- a third`,
  "| Place | Time | Date |\n| --- | --- | --- |\n| Tokyo | **03:09** | Friday, 20 November 2026 |\n| Paris | **19:09** | Thursday, 19 November 2026 |",
  "See [the page](https://example.com/a/long/address) about $x^2$ and what follows from it.",
  "$$\\int_0^1 x^2 dx = \\frac13$$",
  SENTENCE.repeat(3),
].join("\n\n");

async function expectStill(page: Page): Promise<void> {
  const { total, moved } = await layoutShift(page);
  expect(total, moved.join("\n")).toBeLessThanOrEqual(0.002);
}

describe.skipIf(!hasBrowser())("while an answer is written", () => {
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  it.each([
    ["a desk", DESK],
    ["a phone", PHONE],
  ])("no word, column or button moves that is there already, on %s", async (_, options) => {
    const { page, context, problems } = await openPage(stage.browser, stage.server.url, options);
    // What sets formulas loads with the first one.
    stage.play(chatTurn({ text: "Yes, $x$ is." }));
    await say(page, "Ready?");
    await answered(page);
    await page.locator(".katex").waitFor();
    stage.play(
      call("get_time", { timeZone: "Asia/Tokyo" }),
      chatTurn({ text: TEXT, chunkSize: "word", gapMs: 8 }),
    );
    await say(page, "What happened?");
    await answered(page);
    await page.locator(".katex-display").waitFor();
    await expectStill(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("stays at the end, however much arrives at once", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    const paragraphs = `${SENTENCE.repeat(4)}\n\n`.repeat(40);
    stage.play(chatTurn({ text: paragraphs, chunkSize: SENTENCE.length * 4 + 2, gapMs: 20 }));
    await say(page, "A long story");
    await answered(page);
    await page.waitForTimeout(100);
    const left = () =>
      page
        .locator("[data-part=log]")
        .evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
    expect(await left()).toBeLessThan(2);
    expect(await page.getByRole("button", { name: "Scroll to the end" }).count()).toBe(0);
    // A person who scrolls up stays there.
    await page.locator("[data-part=log]").hover();
    await page.mouse.wheel(0, -400);
    await expect.poll(left).toBeGreaterThan(300);
    await page.getByRole("button", { name: "Scroll to the end" }).waitFor();
    await context.close();
  });

  it("cuts a long line about the steps on a phone, but not how long they took", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, PHONE);
    const name = "a-file-with-a-name-that-fits-no-line-at-all.txt";
    stage.play(
      call("filesystem", { operation: "read", path: name }),
      call("get_time", { timeZone: "Asia/Nowhere" }),
      chatTurn({ text: "Done." }),
    );
    await say(page, "Do both");
    await answered(page);
    const spent = page.locator(".step-spent");
    expect(await spent.innerText()).toMatch(/^ · [\d.]+ s$/);
    const box = await spent.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(370);
    const cut = await page.locator(".step-name").evaluate((one) => one.scrollWidth > one.clientWidth);
    expect(cut).toBe(true);
    await context.close();
  });
});
