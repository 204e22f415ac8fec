import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, expectAccessible, openPage, say } from "./support/browser.ts";
import { PHONE } from "./support/look.ts";
import { heldTurn, openStage, type WebStage } from "./support/web.ts";

let stage: WebStage;

describe.skipIf(!hasBrowser())("Markdown in answers", () => {
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  it("keeps the same distances in a long answer, which the browser lays out only where it is seen", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const parts = Array.from({ length: 60 }, (_, at) => `## Part ${at}\n\nAll about part ${at}.`);
    // With a paragraph more, headings and paragraphs change places at the borders of groups.
    const text = `First of all.\n\n${parts.join("\n\n")}`;
    stage.play(chatTurn({ text }), chatTurn({ text: `${text}\n\n${"word ".repeat(2_000)}` }));
    for (const question of ["short", "long"]) {
      await say(page, question);
      await answered(page);
      const prose = page.locator("[data-part=prose]").last();
      // The border of the first two groups is here: both are laid out only while they are seen.
      await prose.getByText("All about part 9.", { exact: true }).scrollIntoViewIfNeeded();
      const distances = () =>
        prose.evaluate((all) => {
          const blocks = [...all.querySelectorAll("h2, p")].slice(0, 24);
          const boxes = blocks.map((block) => ({ block, box: block.getBoundingClientRect() }));
          const found = boxes.flatMap(({ block, box }, at) => {
            const before = boxes[at - 1]?.box;
            return before ? [`${block.tagName} ${Math.round(box.top - before.bottom)}`] : [];
          });
          return [...new Set(found)].sort();
        });
      await expect.poll(distances, { message: question }).toEqual(["H2 28", "P 8"]);
    }
    const visibility = () =>
      page
        .getByText("All about part 55.", { exact: true })
        .last()
        .evaluate((block) => {
          const group = block.closest(".prose-group");
          return group ? getComputedStyle(group).contentVisibility : "";
        });
    expect(await visibility()).toBe("auto");
    await context.close();
  });

  it("shows a patch with both line numbers and the words that changed, unless it was counted wrong", async () => {
    const { page, context, problems } = await openPage(stage.browser, stage.server.url);
    const patch = (lines: number) =>
      `\`\`\`diff\n@@ -4,${lines} +4,${lines} @@\n const a = 1;\n-const b = 2;\n+const b = 3;\n\`\`\``;
    stage.play(chatTurn({ text: `${patch(2)}\n\nAnd:\n\n${patch(9)}` }));
    await say(page, "patch");
    await answered(page);
    const [right, wrong] = [page.locator("figure.code").first(), page.locator("figure.code").last()];
    await right.locator(".diff-added mark", { hasText: "3" }).waitFor();
    expect((await right.locator(".diff-added").textContent())?.trim()).toBe("5const b = 3;");
    expect(await right.textContent()).not.toContain("@@");
    const code = right.locator(".diff-added code");
    expect(await code.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe("rgba(0, 0, 0, 0)");
    expect(await wrong.locator("pre").textContent()).toContain("@@ -4,9 +4,9 @@");
    await expectAccessible(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("draws a diagram when its fence is closed, once per source and theme", async () => {
    const { page, context, problems } = await openPage(stage.browser, stage.server.url);
    const diagram = "```mermaid\ngraph TD\n  A[Ask] --> B[Answer]\n";
    const { turn, release } = heldTurn(diagram, `\`\`\`\n\nAnd again:\n\n${diagram}\`\`\`\n\nThat was it.`);
    stage.play(turn);
    await say(page, "draw");
    await page.locator("figure.code", { hasText: "A[Ask]" }).waitFor();
    expect(await page.locator(".diagram, .drawing-frame").count()).toBe(0);
    release();
    await answered(page);
    const images = page.locator(".diagram img");
    await expect.poll(() => images.count()).toBe(2);
    expect(await images.first().getAttribute("alt")).toBe("Diagram: Ask, Answer");
    const width = () => images.first().evaluate((image: HTMLImageElement) => image.naturalWidth);
    await expect.poll(width).toBeGreaterThan(20);
    expect(await page.locator(".drawing-frame").count()).toBe(1);
    const addresses = () => images.evaluateAll((all) => all.map((one) => (one as HTMLImageElement).src));
    const light = await addresses();
    expect(light[0]).toBe(light[1]);
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(async () => (await addresses())[0] !== light[0]).toBe(true);
    await page.getByRole("button", { name: "Show code" }).first().click();
    await page.locator("figure.code", { hasText: "A[Ask] --> B[Answer]" }).waitFor();
    await page.getByRole("button", { name: "Show diagram" }).click();
    await expect.poll(() => images.count()).toBe(2);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("takes the colors of the theme, and opens in a viewer that zooms, moves and saves it", async () => {
    const { page, context, problems } = await openPage(stage.browser, stage.server.url);
    stage.play(chatTurn({ text: "```mermaid\ngraph TD\n  A[Ask] --> B[Answer]\n```" }));
    await say(page, "draw");
    await answered(page);
    const svg = () =>
      page
        .locator(".diagram img")
        .evaluate((image) => decodeURIComponent((image as HTMLImageElement).src).toLowerCase());
    await expect.poll(svg).toContain("#e2f0ed");
    expect(await svg()).toContain("#0b6b63");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(svg).toContain("#17332f");
    expect(await svg()).not.toContain("#e2f0ed");

    await page.getByRole("button", { name: "Diagram: Ask, Answer" }).click();
    const viewer = page.getByRole("dialog", { name: "Diagram" });
    const picture = viewer.getByRole("img", { name: "Diagram: Ask, Answer" });
    const box = async () => (await picture.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const fitted = await box();
    await page.keyboard.press("+");
    await expect.poll(async () => (await box()).width / fitted.width).toBeCloseTo(1.25, 2);
    await page.keyboard.press("-");
    await page.keyboard.press("-");
    await expect.poll(async () => (await box()).width / fitted.width).toBeCloseTo(0.8, 2);
    await page.keyboard.press("0");
    await expect.poll(async () => (await box()).width).toBeCloseTo(fitted.width, 1);
    await viewer.getByRole("button", { name: "Zoom in" }).click();
    await expect.poll(async () => (await box()).width / fitted.width).toBeCloseTo(1.25, 2);

    // The wheel zooms around the pointer, here the left edge of the picture.
    const before = await box();
    await page.mouse.move(before.x, before.y + before.height / 2);
    await page.mouse.wheel(0, -100);
    await expect.poll(async () => (await box()).width).toBeGreaterThan(before.width * 1.1);
    expect((await box()).x).toBeCloseTo(before.x, 0);
    const still = await box();
    await page.mouse.down();
    await page.mouse.move(before.x + 70, before.y + before.height / 2 + 30, { steps: 3 });
    await page.mouse.up();
    expect((await box()).x - still.x).toBeCloseTo(70, 0);
    expect((await box()).y - still.y).toBeCloseTo(30, 0);

    for (const [entry, name] of [
      ["Download as SVG", "diagram.svg"],
      ["Download as PNG", "diagram.png"],
    ] as const) {
      await viewer.getByRole("button", { name: "Download" }).click();
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: entry }).click(),
      ]);
      expect(saved.suggestedFilename()).toBe(name);
      const bytes = readFileSync(await saved.path());
      expect(name.endsWith("svg") ? bytes.toString() : bytes.toString("latin1", 1, 4)).toMatch(/^<svg|^PNG$/);
    }
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect.poll(() => viewer.count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("diagram-open");
    expect(problems).toEqual([]);
    await context.close();
  });

  it("shows the code of a diagram that can't be drawn, and says why", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    stage.play(chatTurn({ text: "```mermaid\ngraph TD\n  A[[[ --> \n```" }));
    await say(page, "draw");
    await page.locator(".warning-line", { hasText: "This diagram can’t be drawn" }).waitFor();
    await page.locator("figure.code", { hasText: "A[[[" }).waitFor();
    await context.close();
  });

  it("renders formulas, and leaves prices and broken formulas as they are", async () => {
    const { page, context, problems } = await openPage(stage.browser, stage.server.url);
    const loaded: string[] = [];
    page.on("request", (request) => loaded.push(request.url()));
    stage.play(chatTurn({ text: "It costs $5 or $6." }));
    await say(page, "how much?");
    await answered(page);
    expect(await page.locator(".prose").textContent()).toBe("It costs $5 or $6.");
    expect(loaded.filter((url) => /typeset/.test(url))).toEqual([]);
    stage.play(
      chatTurn({
        text: "So $e^{i\\pi} = -1$, and \\(a^2\\), and $\\frac{1$.\n\n$$\\sum_{n=1}^{3} n = 6$$\n",
      }),
    );
    await say(page, "prove it");
    await answered(page);
    await expect.poll(() => page.locator(".katex-html").count()).toBe(3);
    expect(await page.locator(".katex-display").count()).toBe(1);
    expect(await page.locator(".katex math").count()).toBe(3);
    expect(await page.locator(".formula code").textContent()).toBe("\\frac{1");
    expect(loaded.filter((url) => /mhchem/.test(url))).toEqual([]);
    const long = `\\ce{${"H2".repeat(100)}}`;
    stage.play(chatTurn({ text: `Then $\\ce{2H2 + O2 -> 2H2O}$ at $\\pu{20 °C}$.\n\n$$${long}$$\n` }));
    await say(page, "burn it");
    await answered(page);
    await expect.poll(() => page.locator(".katex-html").count()).toBe(5);
    expect(loaded.filter((url) => /mhchem/.test(url))).toHaveLength(1);
    expect(await page.locator(".katex-html").nth(3).textContent()).toContain("H");
    expect(await page.locator(".formula code").last().textContent()).toBe(long);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("labels task lists, and lets wide tables scroll on their own", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, {
      viewport: { width: 390, height: 844 },
    });
    const row = `| ${Array.from({ length: 12 }, (_, at) => `column ${at}`).join(" | ")} |`;
    const line = `| ${Array.from({ length: 12 }, () => "-").join(" | ")} |`;
    stage.play(chatTurn({ text: `- [ ] buy milk\n- [x] call Ada\n\n${row}\n${line}\n${row}\n` }));
    await say(page, "list");
    await answered(page);
    expect(await page.getByRole("checkbox", { name: "buy milk" }).isChecked()).toBe(false);
    expect(await page.getByRole("checkbox", { name: "call Ada" }).isChecked()).toBe(true);
    const table = page.locator(".prose .table");
    expect(await table.evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await context.close();
  });

  it("keeps code, tables and quotes in a list apart from the words around them", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const list = "1. Install it:\n\n   ```sh\n   npm start\n   ```\n\n   Then look.\n\n   > A quote\n";
    stage.play(chatTurn({ text: `${list}\n> One.\n>\n> Two.\n>\n> > Three.\n` }));
    await say(page, "list");
    await answered(page);
    const boxes = (selector: string) =>
      page
        .locator(`.prose ${selector}`)
        .evaluateAll((found) => found.map((element) => element.getBoundingClientRect().toJSON()));
    const [before, after] = await boxes("li > p");
    const [code] = await boxes("li > figure");
    expect(code?.top - before?.bottom).toBeCloseTo(10, 0);
    expect(after?.top - code?.bottom).toBeCloseTo(10, 0);
    const [inList, outer, inQuote] = await boxes("blockquote");
    expect(inList?.left).toBe(code?.left);
    const [, one, two] = await boxes("blockquote > p");
    expect(two?.top - one?.bottom).toBe(10);
    expect(inQuote?.left - outer?.left).toBe(one?.left - outer?.left);
    await context.close();
  });

  it("keeps the cells of a table that grows, so that what is selected in it stays selected", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const { turn, release } = heldTurn("| Item | Price |\n| --- | --- |\n| Desk | 10 |\n| Cha", "ir | 5 |\n");
    stage.play(turn);
    await say(page, "table");
    const cell = await page.locator(".answer[data-live] td", { hasText: "Cha" }).elementHandle();
    release();
    await answered(page);
    expect(await cell?.evaluate((element) => element.isConnected && element.textContent)).toBe("Chair");
    await context.close();
  });

  it("shows a table once its first row is there, and moves no column with those that follow", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const { turn, release } = heldTurn(
      "First this.\n\n| Place | Time | Date |\n| --- |",
      " --- | --- |\n| Tok",
    );
    const rest = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const chunk = (content: string) => ({ json: { choices: [{ index: 0, delta: { content } }] } });
    const [, , , ...ending] = turn.frames;
    stage.play({
      ...turn,
      frames: [
        ...turn.frames.slice(0, 3),
        { hold: rest[0]!.promise },
        chunk("yo | 03:09 | Friday |\n| Par"),
        { hold: rest[1]!.promise },
        chunk("is | 19:09 | Thursday, 19 November 2026, which is the day before |\n"),
        ...ending,
      ],
    });
    await say(page, "table");
    await page.getByText("First this.").waitFor();
    release();
    const prose = page.locator(".answer[data-live] .prose");
    expect(await prose.innerText()).toBe("First this.");
    rest[0]!.resolve();
    await prose.getByText("Friday").waitFor();
    const columns = () =>
      page
        .locator(".prose tr:first-child > *")
        .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().x)));
    const before = await columns();
    rest[1]!.resolve();
    await answered(page);
    await page.getByText("which is the day before").waitFor();
    expect(await columns()).toEqual(before);
    await context.close();
  });

  it("colors code while it is written, and keeps its elements when the block ends", async () => {
    const { page, context, problems } = await openPage(stage.browser, stage.server.url);
    const code = "/* A note\nover two lines */\nexport const answer = 4";
    const { turn, release } = heldTurn(`\`\`\`ts\n${code}`, "2;\n```\n\nThat is it.");
    stage.play(turn);
    await say(page, "code");
    const block = page.locator(".answer[data-live] figure.code");
    await block.locator(".token-keyword").first().waitFor();
    expect(await block.locator("code").textContent()).toBe(code);
    // The second line is a comment because of the first one.
    expect(await block.locator(".token-comment").allTextContents()).toEqual([
      "/* A note",
      "over two lines */",
    ]);
    await block.getByRole("button", { name: "Copy code" }).waitFor();
    const comment = await block.locator(".token-comment").first().elementHandle();
    release();
    await answered(page);
    expect(await comment?.evaluate((element) => element.isConnected)).toBe(true);
    const ended = page.locator("figure.code code");
    await expect.poll(() => ended.locator(".token-constant").allTextContents()).toContain("42");
    expect(await ended.textContent()).toBe(`${code}2;`);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("takes line breaks and marks in HTML as they are meant, and all other HTML as text", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const text = [
      "| a | b |\n|---|---|\n| one<br>two | H<sub>2</sub>O |",
      "Press <kbd>Ctrl</kbd> &rarr; 10<sup>3</sup>, <b onclick='x'>not</b> <b>yet <i>and `&nbsp;`.",
    ].join("\n\n");
    stage.play(chatTurn({ text }));
    await say(page, "marks");
    await answered(page);
    expect(await page.locator("td").first().locator("br").count()).toBe(1);
    expect(await page.locator("td").first().textContent()).toBe("onetwo");
    expect(await page.locator(".prose :is(sub, sup, kbd)").allTextContents()).toEqual(["2", "Ctrl", "3"]);
    expect(await page.locator(".prose p").textContent()).toBe(
      "Press Ctrl → 103, <b onclick='x'>not</b> <b>yet <i>and &nbsp;.",
    );
    await context.close();
  });

  it("wraps the sentences of a table that is too wide for a phone", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, PHONE);
    const sentence = "A file beside the program, which is read and written in the same process.";
    const text = `| Name | Price | Good | Bad | Verdict |\n|---|---|---|---|---|\n| SQLite | $1,000 | ${sentence} | ${sentence} | Yes |`;
    stage.play(chatTurn({ text }));
    await say(page, "compare");
    await answered(page);
    await expect.poll(() => page.locator(".prose .table").getAttribute("data-wide")).toBe("true");
    const widths = await page.locator("td").evaluateAll((all) => all.map((cell) => cell.clientWidth));
    for (const width of widths.slice(2, 4)) {
      expect(width).toBeGreaterThan(200);
      expect(width).toBeLessThan(300);
    }
    await context.close();
  });
});
