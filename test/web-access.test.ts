import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, expectAccessible, openMovingPage as openPage, say } from "./support/browser.ts";
import { isLong } from "./support/long.ts";
import { temporaryFolder } from "./support/server.ts";
import { heldTurn, openStage, type WebStage } from "./support/web.ts";

const workspace = temporaryFolder();
let stage: WebStage;
const write = chatTurn({
  calls: [{ name: "filesystem", arguments: { operation: "write", path: "a.txt", content: "b\n" } }],
});
const EVERYTHING =
  "# A heading\n\nSome **bold** words and `code`.\n\n- [ ] an open task\n- [x] a done task\n\n1. first\n2. second\n\n> a quote\n\n```ts\nconst a = 1;\n```\n\n| name | value |\n| - | - |\n| one | 1 |\n\n$x^2$ and [a link](https://example.com).\n\n```mermaid\ngraph TD\n  A[Start] --> B[End]\n```\n";
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };
/** `test/web-states.test.ts` looks for the same on a light desk and on a dark phone. */
const SOME_LOOKS = [["dark", { colorScheme: "dark" }]] as const;
const OTHER_LOOKS = [
  ["light", { colorScheme: "light" }],
  ["light on a phone", { colorScheme: "light", ...PHONE }],
  ["dark on a phone", { colorScheme: "dark", ...PHONE }],
] as const;

describe.skipIf(!hasBrowser())("accessibility of the web app", () => {
  beforeAll(async () => {
    stage = await openStage({ TACKLE_ROOTS: workspace.path });
  });
  afterAll(async () => {
    await stage?.close();
    workspace.remove();
  });

  it("is read aloud from question to answer in the order of events", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const calls = [{ name: "get_time", arguments: { timeZone: "Asia/Tokyo" } }];
    stage.play(chatTurn({ reasoning: "Hm.", calls }), chatTurn({ text: EVERYTHING }));
    await say(page, "What time is it?");
    await answered(page);
    await page.locator(".diagram img").waitFor();
    const heard = await readAloud(await context.newCDPSession(page));
    const wanted = [
      /^log: Conversation$/,
      /^article: You$/,
      /^StaticText: What time is it\?$/,
      /^article: Answer$/,
      /^button: Checked the time/,
      /^heading: A heading$/,
      /^StaticText: bold$/,
      /^checkbox: an open task$/,
      /^checkbox: a done task$/,
      /^StaticText: first$/,
      /^blockquote:/,
      /^StaticText: a quote$/,
      /^button: Copy code$/,
      /^columnheader: name$/,
      /^cell: one$/,
      /^link: a link$/,
      /^image: Diagram: Start, End$/,
      /^button: Copy$/,
      /^textbox: Message$/,
    ];
    let at = 0;
    for (const pattern of wanted) {
      const found = heard.findIndex((line, index) => index >= at && pattern.test(line));
      expect(found, `${pattern} after ${heard[at - 1]} in\n${heard.slice(at, at + 60).join("\n")}`).not.toBe(
        -1,
      );
      at = found + 1;
    }
    await context.close();
  });

  it("announces the start and end of an answer in one polite region, but never its text", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const { turn, release } = heldTurn("First half, ", "second half.");
    stage.play(turn);
    await say(page, "go");
    await page.getByText("First half,").waitFor();
    const log = page.getByRole("log");
    expect(await log.getAttribute("aria-busy")).toBe("true");
    expect(await log.getAttribute("aria-live")).toBe("off");
    expect(await page.locator("[aria-live=polite]").allTextContents()).toEqual(["Answering"]);
    release();
    await answered(page);
    await expect
      .poll(() => page.locator("[aria-live=polite]").allTextContents())
      .toEqual(["Answer complete"]);
    expect(await log.getAttribute("aria-busy")).toBe("false");
    await context.close();
  });

  it("does not animate when the person prefers reduced motion", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, { reducedMotion: "reduce" });
    const { turn, release } = heldTurn("", "Here.");
    stage.play(turn);
    await say(page, "go");
    await page.locator(".shimmer").first().waitFor();
    const moving = () => page.evaluate(() => document.getAnimations().length);
    expect(await moving()).toBe(0);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await expect.poll(moving).toBeGreaterThan(0);
    release();
    await answered(page);
    await context.close();
  });

  it("stays readable in forced colors", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, { forcedColors: "active" });
    stage.play(write, chatTurn({ text: "Not." }));
    await say(page, "change it");
    await page.getByRole("button", { name: / once$/ }).waitFor();
    // The list hears of the decision on its own.
    await page.locator(".dot").first().waitFor({ state: "attached" });
    const lines = await page.evaluate(() =>
      [".composer", ".asked-words", ".approval", ".choices button", ".dot"].map((name) => {
        const element = document.querySelector(name);
        return element ? Number.parseFloat(getComputedStyle(element).borderTopWidth) : 0;
      }),
    );
    expect(Math.min(...lines)).toBeGreaterThan(0);
    await page.getByRole("button", { name: /^Don’t \w+$/ }).click();
    await answered(page);
    await context.close();
  });

  it.each(isLong ? [...SOME_LOOKS, ...OTHER_LOOKS] : SOME_LOOKS)(
    "has nothing that axe calls serious in any of its states: %s",
    async (_, look) => {
      const { page, context } = await openPage(stage.browser, stage.server.url, look);
      await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
      await expectAccessible(page);

      const { turn, release } = heldTurn("Streaming along, ", "to the end.");
      stage.play(turn);
      await say(page, "stream");
      await page.getByText("Streaming along,").waitFor();
      await expectAccessible(page);
      release();
      await answered(page);

      stage.play(chatTurn({ reasoning: "Hm.", text: EVERYTHING }));
      await say(page, "everything");
      await answered(page);
      await page.locator(".diagram img").waitFor();
      await page.locator(".katex").first().waitFor();
      await expectAccessible(page);

      stage.play(write, chatTurn({ text: "Not." }));
      await say(page, "change it");
      await page.getByRole("button", { name: /^Don’t \w+$/ }).waitFor();
      await expectAccessible(page);
      await page.getByRole("button", { name: /^Don’t \w+$/ }).click();
      await answered(page);

      await makeArtifact(page);
      await expectAccessible(page);
      await page.getByRole("tab", { name: "Code" }).click();
      await page.getByRole("textbox", { name: "Code" }).waitFor();
      await expectAccessible(page);
      await page
        .getByRole("complementary")
        .getByRole("button", { name: /^(Close|Back)$/ })
        .click();

      stage.play(errorTurn(401, { message: "wrong key" }));
      await say(page, "fail");
      await page.locator('[data-part="problem"]').waitFor();
      await expectAccessible(page);
      await openPalette(page);
      await page.getByRole("dialog").waitFor();
      await expectAccessible(page);
      await context.close();
    },
  );
});

/** Opens the palette by the button in the sidebar, which is a drawer on a phone. */
async function openPalette(page: Page): Promise<void> {
  const show = page.getByRole("button", { name: "Show conversations" });
  if (await show.isVisible()) await show.click();
  await page
    .getByRole("navigation")
    .getByRole("button", { name: /^Search/ })
    .click();
}

async function makeArtifact(page: Page): Promise<void> {
  const code = "export default function Hello() { return <h1>Hello there</h1>; }";
  stage.play(
    chatTurn({ calls: [{ name: "generate_artifact", arguments: { type: "react", code } }] }),
    chatTurn({ text: "There." }),
  );
  await say(page, "make it");
  await answered(page);
  // Where it has opened by itself, its code may still be loading, and a click would close it.
  const card = page.locator(".artifact-card");
  if ((await card.getAttribute("aria-pressed")) === "false") await card.click();
  await page.frameLocator(".artifact-panel iframe").getByText("Hello there").waitFor();
}

interface AccessibleNode {
  nodeId: string;
  ignored: boolean;
  role?: { value: string };
  name?: { value: string };
  childIds?: string[];
}

/** Returns what a screen reader reads from top to bottom: role and name of each element. */
async function readAloud(session: CDPSession): Promise<string[]> {
  await session.send("Accessibility.enable");
  const { nodes } = (await session.send("Accessibility.getFullAXTree")) as { nodes: AccessibleNode[] };
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const heard: string[] = [];
  const visit = (node: AccessibleNode | undefined): void => {
    if (!node) return;
    if (!node.ignored && node.role) heard.push(`${node.role.value}: ${node.name?.value ?? ""}`);
    for (const id of node.childIds ?? []) visit(byId.get(id));
  };
  visit(nodes[0]);
  return heard;
}
