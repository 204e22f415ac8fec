import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, openMovingPage as openPage, say } from "./support/browser.ts";
import {
  DESK,
  firstLoad,
  iconOffsets,
  layoutShift,
  leftEdges,
  luminanceOf,
  motionOver,
  sampleFrames,
  sampleMove,
  typeOf,
} from "./support/look.ts";
import { temporaryFolder } from "./support/server.ts";
import { heldTurn, openStage, type WebStage } from "./support/web.ts";

const workspace = temporaryFolder();
let stage: WebStage;
const call = (name: string, args: object) => chatTurn({ calls: [{ name, arguments: args }] });
const PLAIN = "<h1>Hello there</h1><p>No colors of its own.</p>";
const artifact = (made: object = { type: "html", code: PLAIN, title: "Plain page" }) =>
  [call("generate_artifact", made), chatTurn({ text: "There it is." })] as const;
const times = () => [
  chatTurn({
    reasoning: "Two cities.",
    calls: [
      { name: "get_time", arguments: { timeZone: "Asia/Tokyo" } },
      { name: "get_time", arguments: { timeZone: "Europe/Paris" } },
    ],
  }),
  chatTurn({ text: "It is **01:34** in Tokyo.\n\nAnd 17:34 in Paris, with *stress* and `code`." }),
];

async function ask(page: Page, text: string, ...turns: Parameters<WebStage["play"]>): Promise<void> {
  stage.play(...turns);
  await say(page, text);
  await answered(page);
}

describe.skipIf(!hasBrowser())("the look of the web app", () => {
  beforeAll(async () => {
    stage = await openStage({ TACKLE_ROOTS: workspace.path });
  });
  afterAll(async () => {
    await stage?.close();
    workspace.remove();
  });

  it("lines everything up on the left edge of the column, and icons with their lines", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    await ask(page, "What time is it?", ...times());
    await ask(page, "A page", ...artifact());
    stage.play(errorTurn(401));
    await say(page, "fail");
    await page.locator("[data-part=problem]").waitFor();
    stage.play(
      chatTurn({
        calls: [
          { name: "ask_user", arguments: { question: "Which one?", options: ["This", "That"] } },
          { name: "filesystem", arguments: { operation: "write", path: "a.txt", content: "b\n" } },
        ],
      }),
    );
    await say(page, "ask me");
    await page.locator("[data-part=question]").waitFor();
    await page.locator("[data-part=approval]").waitFor();
    const edges = await leftEdges(page);
    expect(new Set(edges.map(({ part }) => part)).size).toBe(7);
    const [first = 0] = edges.map(({ x }) => x);
    expect(edges.filter(({ x }) => Math.abs(x - first) > 0.5)).toEqual([]);
    expect(Math.max(...(await iconOffsets(page)))).toBeLessThanOrEqual(1);
    await context.close();
  });

  it("opens an artifact by itself while it is written, without moving anything that is read", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    await ask(page, "What time is it?", ...times());
    const { turn, release } = heldTurn("<h1>Half", " and half</h1>");
    stage.play(
      call("generate_artifact", { type: "html", prompt: "a page" }),
      turn,
      chatTurn({ text: "Done." }),
    );
    const end = await sampleFrames(page);
    await say(page, "Build a page");
    await page.locator("[data-part=panel]").waitFor();
    await page.waitForTimeout(400);
    release();
    await answered(page);
    const samples = await end();
    expect(new Set(samples.map(({ panel }) => panel)).size).toBe(2);
    for (const key of ["sidebar", "column", "composerBottom", "blocks"] as const)
      expect(new Set(samples.map((sample) => sample[key])).size, key).toBe(1);
    expect(samples[0]?.sidebar).toBe(264);
    expect(samples[0]?.column).toBe(656);
    const { total, moved } = await layoutShift(page);
    expect(total, moved.join("\n")).toBeLessThanOrEqual(0.01);
    expect((await page.locator("[data-part=panel]").boundingBox())?.width).toBeCloseTo(472, 1);

    // Other pages have their whole width.
    await page.getByRole("button", { name: "Projects" }).click();
    const heading = page.getByRole("heading", { name: "Projects" });
    await expect.poll(async () => (await heading.boundingBox())?.x).toBeGreaterThan(500);
    await context.close();
  });

  it("keeps the panel closed where it was closed, while someone types, and where there is no room", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    const panel = page.locator("[data-part=panel]");
    await ask(page, "A page", ...artifact());
    await panel.getByRole("button", { name: "Close" }).click();
    await ask(page, "Another", ...artifact());
    expect(await panel.count()).toBe(0);
    expect(await page.locator("[data-part=artifact-card]").count()).toBe(2);

    await page.getByRole("button", { name: "New chat" }).first().click();
    // The artifact begins only once someone types.
    const { promise: typing, resolve: release } = Promise.withResolvers<void>();
    const [begin, end] = artifact();
    stage.play({ ...begin, frames: [{ hold: typing }, ...begin.frames] }, end);
    await say(page, "A third");
    await page.getByRole("textbox", { name: "Message" }).fill("typing");
    release();
    await answered(page);
    expect(await panel.count()).toBe(0);
    await page.getByRole("textbox", { name: "Message" }).fill("");

    await page.setViewportSize({ width: 1300, height: 800 });
    await ask(page, "A fourth", ...artifact());
    await page.locator("[data-part=artifact-card]").last().click();
    const box = await panel.boundingBox();
    expect(box?.width).toBeCloseTo(440, 1);
    await context.close();
  });

  it("moves the divider by keys and pointer, resets it by a double click, and remembers it", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    await ask(page, "A page", ...artifact());
    const width = async () => Math.round((await page.locator("[data-part=panel]").boundingBox())?.width ?? 0);
    const divider = page.locator("[data-part=divider]");
    await divider.focus();
    await page.keyboard.press("ArrowLeft");
    expect(await width()).toBe(496);
    await page.keyboard.press("Home");
    expect(await width()).toBe(400);
    await page.keyboard.press("End");
    expect(await width()).toBe(776);
    await page.waitForTimeout(300);
    const box = await divider.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 4, 300);
    await page.mouse.down();
    await page.mouse.move(1440 - 600, 300, { steps: 4 });
    await page.mouse.up();
    expect(await width()).toBe(600);
    await page.reload();
    await page.locator("[data-part=artifact-card]").click();
    expect(await width()).toBe(600);
    await divider.dblclick();
    expect(await width()).toBe(472);
    await context.close();
  });

  it("shifts nothing in a whole visit, and glides the message field to the bottom with its focus and its text", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    const field = page.locator("[data-part=composer-text]");
    const top = async () => (await page.locator("[data-part=composer]").boundingBox())?.y ?? 0;
    await field.waitFor();
    await page.setViewportSize({ width: 1440, height: 700 });
    const start = await top();
    stage.play(...times());
    const end = await sampleMove(page, "[data-part=composer]");
    await say(page, "What time is it?");
    await page.keyboard.type("next question");
    await answered(page);
    const frames = await end();
    // Its place in the layout changes once; what is seen glides there without a jump.
    expect(new Set(frames.map(({ place }) => Math.round(place))).size).toBeLessThanOrEqual(2);
    const changed = frames.findIndex(({ place }) => Math.abs(place - (frames[0]?.place ?? 0)) > 1);
    const jump = (frames[changed]?.seen ?? 0) - (frames[changed - 1]?.seen ?? 0);
    expect(Math.abs(jump)).toBeLessThan(40);
    expect(frames.every(({ seen }, at) => seen >= (frames[at - 1]?.seen ?? 0) - 1)).toBe(true);
    expect(await top()).toBeGreaterThan(start);
    expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await field.inputValue()).toBe("next question");
    await field.fill("");
    await ask(page, "A page", ...artifact());
    await ask(page, "And now?", ...times());
    const { total, moved } = await layoutShift(page);
    expect(total, moved.join("\n")).toBeLessThanOrEqual(0.01);
    await context.close();
  });

  it("shows an artifact once, and in the dark if it sets no background", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, {
      ...DESK,
      colorScheme: "dark",
    });
    await ask(page, "A page", ...artifact());
    expect(await page.locator("[data-part=log] [data-part=artifact-card]").count()).toBe(1);
    expect(await page.locator("[data-part=step]").count()).toBe(0);
    const frame = page.locator("[data-part=panel] iframe");
    await page.frameLocator("[data-part=panel] iframe").getByText("Hello there").waitFor();
    expect(await frame.evaluate((one) => getComputedStyle(one).colorScheme)).toBe("dark");
    const inside = page.frameLocator("[data-part=panel] iframe").locator("html");
    expect(await inside.evaluate((one) => getComputedStyle(one).colorScheme)).toBe("dark");
    await page.waitForTimeout(300);
    const shot = await page.screenshot({ clip: { x: 1300, y: 600, width: 20, height: 20 } });
    expect(await luminanceOf(context, shot)).toBeLessThan(0.1);
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(() => inside.evaluate((one) => getComputedStyle(one).colorScheme)).toBe("light");
    await context.close();
  });

  it("shows an artifact's own dark colors with the theme of the page", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, {
      ...DESK,
      colorScheme: "dark",
    });
    const code = `export default () => <main className="min-h-screen bg-white dark:bg-black">Two looks</main>;`;
    await ask(page, "A page", ...artifact({ type: "react", code, title: "Two looks" }));
    const main = page.frameLocator("[data-part=panel] iframe").getByText("Two looks");
    const ground = () => main.evaluate((one) => getComputedStyle(one).backgroundColor);
    await expect.poll(ground).toBe("rgb(0, 0, 0)");
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(ground).toBe("rgb(255, 255, 255)");
    await context.close();
  });

  it("shows short messages above the message field, however much is written in it", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    await ask(page, "What time is it?", ...times());
    const title = "A conversation for the archive";
    await context.request.post(`${stage.server.url}/sessions`, { data: { title } });
    await page.reload();
    await page.getByRole("textbox", { name: "Message" }).fill("a line\n".repeat(7));
    await page.getByRole("link", { name: title }).hover();
    await page.getByRole("button", { name: `More: ${title}` }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    const bottom = async () => {
      const box = await page.locator("[data-part=toast]").boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0);
    };
    const top = async () => (await page.locator("[data-part=composer]").boundingBox())?.y ?? 0;
    expect(await bottom()).toBeLessThanOrEqual(await top());
    // The field grows while the message is there.
    await page.getByRole("textbox", { name: "Message" }).fill("a line\n".repeat(9));
    expect(await bottom()).toBeLessThanOrEqual(await top());
    await context.close();
  });

  it("uses three weights and eight sizes", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, DESK);
    const screens = [await typeOf(page)];
    await ask(page, "What time is it?", ...times());
    screens.push(await typeOf(page));
    await ask(page, "A page", ...artifact());
    screens.push(await typeOf(page));
    await page.getByRole("button", { name: "Settings" }).first().click();
    await page.getByRole("dialog").waitFor();
    screens.push(await typeOf(page));
    const all = (key: "sizes" | "weights") => Object.assign({}, ...screens.map((screen) => screen[key]));
    expect(Object.keys(all("weights")).length, JSON.stringify(all("weights"), null, 1)).toBeLessThanOrEqual(
      3,
    );
    expect(Object.keys(all("sizes")).length, JSON.stringify(all("sizes"), null, 1)).toBeLessThanOrEqual(8);
    expect(await page.locator("select").count()).toBe(0);
    expect(await motionOver(page, 300)).toEqual([]);
    await context.close();
  });

  it("loads little at first", async () => {
    const { page, context } = await openPage(stage.browser, "about:blank", DESK);
    const { script, style, font, blocking } = await firstLoad(page, stage.server.url);
    expect(script).toBeLessThanOrEqual(170_000);
    expect(style).toBeLessThanOrEqual(14_000);
    expect(font).toBeLessThanOrEqual(60_000);
    expect(blocking).toEqual([]);
    const before = font;
    let more = 0;
    page.on("response", async (response) => {
      if (response.request().resourceType() === "font") more += (await response.body()).length;
    });
    await ask(page, "What time is it?", ...times());
    await page.waitForTimeout(300);
    expect(before + more).toBeLessThanOrEqual(95_000);

    // Until the app has come over a slow connection, its mark is there.
    const slow = await context.newPage();
    await slow.route(/\.js$/, (route) => route.abort());
    await slow.goto(stage.server.url);
    await slow.locator(".boot").waitFor();
    await context.close();
  });

  it("has no physical sides in its style sheets", () => {
    const physical =
      /(?:margin|padding|border)-(?:left|right)\b|(?:^|[\s;{])(?:left|right)\s*:|text-align:\s*(?:left|right)|(?:padding|margin|inset):\s*(\S+) (\S+) \S+ (?!\2;)\S+;|float:\s*(?:left|right)/;
    const folder = resolve(import.meta.dirname, "../src/web/style");
    const found = globSync("*.css", { cwd: folder }).flatMap((file) =>
      readFileSync(resolve(folder, file), "utf8")
        .split("\n")
        .flatMap((line, index) => (physical.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });
});
