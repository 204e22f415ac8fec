import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, openMovingPage as openPage, say } from "./support/browser.ts";
import { isLong } from "./support/long.ts";
import { DESK, layoutShift, motionOver, PHONE, smallTargets } from "./support/look.ts";
import { temporaryFolder } from "./support/server.ts";
import { openStage, type WebStage } from "./support/web.ts";

const workspace = temporaryFolder();
let stage: WebStage;
const call = (name: string, args: object) => chatTurn({ calls: [{ name, arguments: args }] });
const COLUMNS = Array.from({ length: 12 }, (_, index) => `Column number ${index + 1}`);
const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const WIDE = `${row(COLUMNS)}\n${row(COLUMNS.map(() => "---"))}\n${row(COLUMNS.map((_, index) => `${index}000,000`))}\n\n${"w".repeat(300)}\n\n$$${"x^2 + y^2 + ".repeat(30)} z$$\n\n\`\`\`ts\n${"const a = 1; ".repeat(40)}\n\`\`\``;

async function ask(page: Page, text: string, ...turns: Parameters<WebStage["play"]>): Promise<void> {
  stage.play(...turns);
  await say(page, text);
  await answered(page);
}

/** Writes to a file, which needs a decision. */
async function askForApproval(page: Page): Promise<void> {
  stage.play(call("filesystem", { operation: "write", path: "a.txt", content: "b\n" }));
  await say(page, "write");
  await page.locator("[data-part=approval]").waitFor();
}

describe.skipIf(!hasBrowser())("the web app on phones, on paper, right to left and without motion", () => {
  beforeAll(async () => {
    stage = await openStage({ TACKLE_ROOTS: workspace.path });
  });
  afterAll(async () => {
    await stage?.close();
    workspace.remove();
  });

  it("has targets of 44 pixels everywhere, and a drawer that a swipe from the edge opens", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, PHONE);
    const found: Record<string, string[]> = { "new chat": await smallTargets(page) };
    await ask(
      page,
      "A page",
      call("generate_artifact", { type: "html", code: "<h1>Hi</h1>", title: "Page" }),
      chatTurn({ text: "There." }),
    );
    found.conversation = await smallTargets(page);
    const swipe = await context.newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", x?: number) =>
      swipe.send("Input.dispatchTouchEvent", { type, touchPoints: x === undefined ? [] : [{ x, y: 400 }] });
    const swipeFromEdge = async () => {
      await touch("touchStart", 4);
      await touch("touchMove", 40);
      await touch("touchMove", 120);
      await touch("touchEnd");
    };
    await swipeFromEdge();
    const sidebar = page.locator("[data-part=sidebar]");
    await expect.poll(async () => (await sidebar.boundingBox())?.x).toBe(0);
    expect((await sidebar.boundingBox())?.width).toBe(390);
    found.drawer = await smallTargets(page);
    await page.getByRole("button", { name: "Settings" }).first().click();
    await page.getByRole("dialog").waitFor();
    found.settings = await smallTargets(page);
    // What lies above the page keeps its touches.
    await swipeFromEdge();
    expect(await page.locator(".app").getAttribute("data-drawer")).toBe("false");
    await page.keyboard.press("Escape");
    await page.evaluate(() => document.querySelector<HTMLElement>(".sidebar-top button")?.click());
    await page.locator("[data-part=artifact-card]").click();
    await page.locator("[data-part=panel] iframe").waitFor();
    await page.waitForTimeout(300);
    expect((await page.locator("[data-part=panel]").boundingBox())?.width).toBe(390);
    found.artifact = await smallTargets(page);
    await page.getByRole("button", { name: "Back" }).click();
    await page.locator("[data-part=model-picker]").first().click();
    await page.waitForTimeout(300);
    found.models = await smallTargets(page);
    await page.keyboard.press("Escape");
    await askForApproval(page);
    found.approval = await smallTargets(page);
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, []])));
    const sizes = await page
      .locator("input:not([type=file], [type=hidden]), textarea")
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).fontSize));
    expect(new Set(sizes)).toEqual(new Set(["16px"]));
    await context.close();
  });

  it("copies and edits an own message by a button that is always there", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, PHONE);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await ask(page, "Words of my own", chatTurn({ text: "Yes." }));
    const more = page.locator(".asked").getByRole("button", { name: "More" });
    expect(await more.evaluate((button) => getComputedStyle(button).opacity)).toBe("1");
    await more.click();
    await page.getByRole("menuitem", { name: "Copy" }).click();
    await page.getByText("Copied", { exact: true }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("Words of my own");
    await more.click();
    expect(await smallTargets(page)).toEqual([]);
    await page.getByRole("menuitem", { name: "Edit and ask again" }).click();
    await page.getByRole("textbox", { name: "Edit message" }).waitFor();
    await context.close();
  });

  it("keeps the message field above a keyboard that is laid over the page", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, PHONE);
    await ask(page, "A long answer", chatTurn({ text: "Word after word. ".repeat(200) }));
    const composer = page.locator("[data-part=composer]");
    const cover = (height: number) =>
      page.evaluate((seen) => {
        Object.defineProperty(visualViewport, "height", { value: seen, configurable: true });
        visualViewport?.dispatchEvent(new Event("resize"));
      }, height);
    const bottom = async () => {
      const { y = 0, height = 0 } = (await composer.boundingBox()) ?? {};
      return y + height;
    };
    const before = await bottom();
    await composer.getByRole("textbox").focus();
    await cover(500);
    await expect.poll(bottom).toBeLessThanOrEqual(500);
    expect(await bottom()).toBeGreaterThan(440);
    await cover(844);
    await expect.poll(bottom).toBe(before);
    await context.close();
  });

  it("closes with Back what covers the page of a phone, and only then leaves the conversation", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, PHONE);
    await ask(page, "The first of two", chatTurn({ text: "One." }));
    const first = page.url();
    await page.getByRole("button", { name: "New chat" }).click();
    await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
    const made = call("generate_artifact", { type: "html", code: "<h1>Hi</h1>", title: "Page" });
    await ask(page, "A page", made, chatTurn({ text: "There." }));
    const second = page.url();
    const panel = page.locator("[data-part=panel]");
    const card = page.locator("[data-part=artifact-card]");
    for (const close of [
      () => page.goBack(),
      () => panel.getByRole("button", { name: "Back" }).click(),
      () => page.goBack(),
    ]) {
      await card.click();
      await panel.waitFor();
      await close();
      await panel.waitFor({ state: "detached" });
      expect(page.url()).toBe(second);
    }
    const drawer = page.locator(".app[data-drawer=true]");
    const openDrawer = async () => {
      await page.getByRole("button", { name: "Show conversations" }).click();
      await drawer.waitFor();
    };
    await openDrawer();
    await page.goBack();
    await drawer.waitFor({ state: "detached" });
    expect(page.url()).toBe(second);
    await openDrawer();
    await page.locator(".session a", { hasText: "The first of two" }).click();
    await page.getByText("One.", { exact: true }).waitFor();
    expect(page.url()).toBe(first);
    await page.goBack();
    await page.getByText("There.", { exact: true }).waitFor();
    await page.goForward();
    await page.getByText("One.", { exact: true }).waitFor();
    expect(page.url()).toBe(first);
    await page.goBack();
    await page.getByText("There.", { exact: true }).waitFor();
    await page.goBack();
    await expect.poll(() => page.url()).not.toBe(second);
    await context.close();
  });

  it.skipIf(!isLong)("shifts nothing on a phone, from the first load to the third answer", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, PHONE);
    const time = () => call("get_time", { timeZone: "Asia/Tokyo" });
    const made = { type: "html", code: "<h1>Hi</h1>", title: "Page" };
    await ask(page, "What time is it?", time(), time(), chatTurn({ text: "It is late in Tokyo." }));
    await ask(page, "A page", call("generate_artifact", made), chatTurn({ text: "There." }));
    await ask(page, "And now?", time(), chatTurn({ text: "Later." }));
    const { total, moved } = await layoutShift(page);
    expect(total, moved.join("\n")).toBeLessThanOrEqual(0.01);
    await context.close();
  });

  it("never scrolls sideways, and prints wide tables whole", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    await ask(page, "Wide things", chatTurn({ text: WIDE }));
    await page.locator(".formula").waitFor();
    const overflow = () =>
      page.evaluate(() => [
        document.documentElement.scrollWidth - innerWidth,
        (document.querySelector("[data-part=log]")?.scrollWidth ?? 0) -
          (document.querySelector("[data-part=log]")?.clientWidth ?? 0),
      ]);
    for (const width of [320, 390, 768, 1024, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      const [pages = 0, log = 0] = await overflow();
      expect(Math.max(pages, log), `at ${width}`).toBeLessThanOrEqual(0);
    }
    await page.evaluate(() => document.documentElement.style.setProperty("zoom", "2"));
    for (const width of [768, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      expect(Math.max(...(await overflow())), `at 200% and ${width}`).toBeLessThanOrEqual(0);
    }
    await page.evaluate(() => document.documentElement.style.removeProperty("zoom"));
    // What is left of a window at 400 %.
    await page.setViewportSize({ width: 320, height: 256 });
    const height = await page.locator("[data-part=log]").evaluate(({ clientHeight }) => clientHeight);
    expect(height).toBeGreaterThan(256 * 0.4);

    await page.setViewportSize({ width: 794 - 136, height: 1123 });
    await page.emulateMedia({ media: "print" });
    const clipped = await page.evaluate(
      () =>
        [...document.querySelectorAll(".prose :is(td, th)")].filter(
          (cell) =>
            cell.scrollWidth > cell.clientWidth + 1 || cell.getBoundingClientRect().right > innerWidth + 1,
        ).length,
    );
    expect(clipped).toBe(0);
    await context.close();
  });

  it("prints a short turn on one page", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    await ask(
      page,
      "A question",
      chatTurn({ text: "An answer of one line, with [a link](https://example.com/there)." }),
    );
    const pdf = await page.pdf({ format: "A4" });
    expect(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    await page.emulateMedia({ media: "print" });
    for (const part of ["sidebar", "composer", "actions"])
      expect(await page.locator(`[data-part=${part}]`).first().isVisible(), part).toBe(false);
    expect(await page.locator("[data-part=answer]").isVisible()).toBe(true);
    await context.close();
  });

  it.skipIf(!isLong)("mirrors the page for languages that are written from right to left", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    await ask(
      page,
      "كم الساعة في طوكيو وباريس؟",
      call("get_time", { timeZone: "Asia/Tokyo" }),
      chatTurn({ text: "## الوقت\n\nالساعة الآن 01:34 في طوكيو." }),
    );
    const places = () =>
      page.evaluate(() =>
        [
          "[data-part=sidebar]",
          ".asked-words",
          ".step-line > :first-child",
          ".composer-tools > :first-child",
          ".send",
        ].map((selector) => {
          const { left, right } = document.querySelector(selector)?.getBoundingClientRect() ?? {
            left: 0,
            right: 0,
          };
          return { left, right };
        }),
      );
    const before = await places();
    await page.evaluate(() => document.documentElement.setAttribute("dir", "rtl"));
    const after = await places();
    for (const [index, { left, right }] of before.entries()) {
      expect(Math.abs(1440 - right - (after[index]?.left ?? 0)), `left of ${index}`).toBeLessThanOrEqual(1);
      expect(Math.abs(1440 - left - (after[index]?.right ?? 0)), `right of ${index}`).toBeLessThanOrEqual(1);
    }
    expect(await page.locator(".asked-words").getAttribute("dir")).toBe("auto");
    const [heading, words] = await page.evaluate(() =>
      [".prose h2", ".prose p"].map((name) => {
        const range = document.createRange();
        range.selectNodeContents(document.querySelector(name) ?? document.body);
        return range.getBoundingClientRect().right;
      }),
    );
    expect(heading).toBe(words);
    await ask(
      page,
      "صفحة",
      call("generate_artifact", { type: "html", code: "<h1>Hi</h1>", title: "Page" }),
      chatTurn({ text: "هنا." }),
    );
    await expect.poll(async () => (await page.locator("[data-part=panel]").boundingBox())?.x).toBe(0);
    expect((await page.locator("[data-part=composer]").boundingBox())?.x).toBeGreaterThan(472);
    await context.close();
  });

  it.skipIf(!isLong)("stands still for those who want that", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, {
      ...DESK,
      reducedMotion: "reduce",
    });
    const moving = async () => [
      ...(await motionOver(page, 0)),
      ...(await page.evaluate(() =>
        document
          .getAnimations()
          .filter(({ playState }) => playState === "running")
          .map(String),
      )),
    ];
    expect(await moving()).toEqual([]);
    await ask(
      page,
      "A page",
      call("generate_artifact", { type: "html", code: "<h1>Hi</h1>", title: "Page" }),
      chatTurn({ text: "There." }),
    );
    expect(await moving()).toEqual([]);
    await page.getByRole("button", { name: "Settings" }).first().click();
    await page.getByRole("dialog").waitFor();
    expect(await moving()).toEqual([]);
    await page.keyboard.press("Escape");
    await askForApproval(page);
    expect(await moving()).toEqual([]);
    await context.close();
  });
});
