import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, openPage, say } from "./support/browser.ts";
import { openStage, type WebStage } from "./support/web.ts";

let stage: WebStage;

describe.skipIf(!hasBrowser())("a page of which a part is broken", () => {
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.close());

  it("goes on without a part that cannot be loaded, and offers to reload", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    await page.getByRole("textbox").first().waitFor();
    await page.route(/\/assets\/.*\.js/, (route) => route.abort());
    await page.keyboard.press("Control+k");
    const notice = page.getByText("This part couldn’t be loaded.");
    await notice.waitFor();
    await expect.poll(() => page.getByRole("textbox").first().isVisible()).toBe(true);
    await page.unroute(/\/assets\/.*\.js/);
    await page.getByRole("button", { name: "Reload" }).click();
    await page.waitForLoadState();
    await page.getByRole("textbox").first().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await context.close();
  });

  it("shows the rest of a conversation if one answer cannot be shown", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    await page.evaluate(() => {
      const exec = RegExp.prototype.exec;
      RegExp.prototype.exec = function (text) {
        if (text.includes("unshowable")) throw new Error("cannot be shown");
        return exec.call(this, text);
      };
    });
    stage.play(chatTurn({ text: "An unshowable answer." }));
    await say(page, "First question");
    await page.getByText("This answer can’t be shown.").waitFor();
    // A question that comes before its end would be answered in the same message.
    await answered(page);
    stage.play(chatTurn({ text: "A plain answer." }));
    await say(page, "Second question");
    await answered(page);
    await page.getByText("A plain answer.").waitFor();
    await context.close();
  });

  it("says so if the whole page cannot be shown", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    stage.play(chatTurn({ text: "A plain answer." }));
    await say(page, "A question with a date");
    await answered(page);
    await page.addInitScript(() => {
      Intl.DateTimeFormat.prototype.formatToParts = () => {
        throw new Error("broken");
      };
      Object.defineProperty(Intl.DateTimeFormat.prototype, "format", {
        get() {
          throw new Error("broken");
        },
      });
    });
    await page.reload();
    await page.getByText("Something went wrong on this page.").waitFor();
    await page.getByRole("button", { name: "Reload" }).waitFor();
    await context.close();
  });
});
