import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { type Attack, attacksOn } from "../src/tools/artifacts/testing/attacks.ts";
import { type Canary, startCanary } from "../src/tools/artifacts/testing/canary.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, openPage, say } from "./support/browser.ts";
import { sampled } from "./support/long.ts";
import { openStage, type WebStage } from "./support/web.ts";

/** The time that a delayed attack has to arrive. */
const GRACE_MS = 1_000;
/** Calls of one turn. */
const AT_ONCE = 8;
let stage: WebStage;
let canary: Canary;

describe.skipIf(!hasBrowser())("a malicious model in the web app", () => {
  beforeAll(async () => {
    stage = await openStage({ TACKLE_MAX_TOOL_CALLS: "200" });
    canary = await startCanary();
  });
  afterAll(async () => {
    await stage?.close();
    await canary?.close();
  });

  it("can't reach the page or the network from an artifact", {
    timeout: 240_000,
  }, async () => {
    // A component can do what a page can; pages are tried one by one in the pipeline's tests.
    const all = attacksOn(canary).filter(({ type }) => type !== "react");
    expect(all.length).toBeGreaterThan(60);
    const attacks = sampled(all, 6);
    const { page, context } = await openPage(stage.browser, stage.server.url, {
      viewport: { width: 1440, height: 900 },
    });
    // On a busy machine, the checks of all calls at once would take longer than they may.
    const turns = Array.from({ length: Math.ceil(attacks.length / AT_ONCE) }, (_, turn) =>
      attacks.slice(turn * AT_ONCE, (turn + 1) * AT_ONCE).map(callFor),
    );
    stage.play(
      ...turns.map((calls) => chatTurn({ calls, chunkSize: 100_000 })),
      chatTurn({ text: "All made." }),
    );
    await say(page, "make them all");
    await page.getByText("All made.").waitFor({ timeout: 150_000 });
    await answered(page);
    const address = page.url();
    const cards = page.locator(".artifact-card");
    const count = await cards.count();
    expect(count).toBe(attacks.length);
    for (let at = 0; at < count; at++) {
      const card = cards.nth(at);
      if ((await card.getAttribute("aria-pressed")) !== "true")
        await card.evaluate((button) => (button as HTMLElement).click());
      const element = await page.waitForSelector(".artifact-panel iframe");
      const frame = await element.contentFrame();
      await frame?.waitForLoadState("load", { timeout: 5_000 }).catch(() => undefined); // It has its time either way.
    }
    await pause(GRACE_MS);
    const around = await page.evaluate(() => ({
      pwned: "pwned" in window,
      stored: localStorage.getItem("pwned"),
      cookie: document.cookie,
      frames: document.querySelectorAll("iframe").length,
    }));
    expect(around).toEqual({ pwned: false, stored: null, cookie: "", frames: 1 });
    expect(page.url()).toBe(address);
    expect(context.pages()).toHaveLength(1);
    // A page that navigates away is stopped before it sends anything, though a connection may have been opened.
    expect(canary.heard.filter((line) => line !== "a connection")).toEqual([]);
    await context.close();
  });

  it("can't run code or send requests from diagrams and formulas", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const { url } = canary;
    canary.heard.length = 0;
    const diagrams = [
      `graph TD\n  A["<img src='${url}/mm' onerror='window.pwned=1'>"] --> B\n  click B href "javascript:window.pwned=1"\n  click A call alert("x")\n  style A fill:url(${url}/fill)`,
      `%%{init: {"securityLevel": "loose", "themeCSS": "@import url(${url}/css); * { background: url(${url}/bg) }"}}%%\ngraph TD\n  A["<script>window.pwned=1</script>"] --> B["<iframe src='${url}/frame'></iframe>"]`,
      `sequenceDiagram\n  participant A as <img src=x onerror=window.pwned=1>\n  A->>B: <svg onload=window.pwned=1>`,
    ];
    const formulas = [
      "$\\href{javascript:window.pwned=1}{x}$",
      `$\\includegraphics{${url}/tex}$`,
      "$\\htmlData{onclick=window.pwned=1}{x}$",
      "$\\def\\a{\\a\\a}\\a$",
      '$\\text{<img src=x onerror="window.pwned=1">}$',
    ];
    const fences = diagrams.map((source) => `\`\`\`mermaid\n${source}\n\`\`\``);
    stage.play(chatTurn({ text: [...fences, ...formulas, "$x^2$"].join("\n\n"), chunkSize: 400 }));
    await say(page, "draw");
    await answered(page);
    await page.locator(".katex").first().waitFor();
    await expect
      .poll(() => page.locator(".diagram img, .warning-line").count(), { timeout: 20_000 })
      .toBe(diagrams.length);
    await pause(GRACE_MS);
    const found = await page.evaluate(() => ({
      pwned: "pwned" in window,
      inside: document.querySelectorAll(".prose :is(script, iframe, object, embed, form, foreignObject)")
        .length,
      images: [...document.querySelectorAll<HTMLImageElement>(".prose img")].filter(
        ({ src }) => !src.startsWith("data:image/svg+xml"),
      ).length,
      links: document.querySelectorAll(".prose a").length,
    }));
    expect(found).toEqual({ pwned: false, inside: 0, images: 0, links: 0 });
    expect(canary.heard).toEqual([]);
    await context.close();
  });
});

function callFor({ name, type, code }: Attack) {
  return { name: "generate_artifact", arguments: { type, code, title: name.slice(0, 100) } };
}
