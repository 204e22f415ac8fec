import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, openPage, say } from "./support/browser.ts";
import { heldTurn, openStage, type WebStage } from "./support/web.ts";

let stage: WebStage;

describe.skipIf(!hasBrowser())("Markdown in answers", () => {
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

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
});
