import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, openPage } from "./support/browser.ts";
import { PHONE } from "./support/look.ts";
import { temporaryFolder } from "./support/server.ts";
import { openStage, type WebStage } from "./support/web.ts";

const folder = temporaryFolder();
let stage: WebStage;

describe.skipIf(!hasBrowser())("languages in the web app", () => {
  beforeAll(async () => {
    stage = await openStage({ TACKLE_ROOTS: folder.path });
  });
  afterAll(async () => {
    await stage.close();
    folder.remove();
  });

  it("loads no other language for an English browser", async () => {
    const context = await stage.browser.newContext({ locale: "en-US" });
    const loaded: string[] = [];
    context.on("request", (request) => loaded.push(request.url()));
    const page = await context.newPage();
    await page.goto(stage.server.url);
    await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
    const others = /german|french|spanish|portuguese|japanese|chinese|arabic/;
    expect(loaded.filter((url) => others.test(url))).toEqual([]);
    await context.close();
  });

  it("shows a German browser German from the first paint", async () => {
    const context = await stage.browser.newContext({ locale: "de-AT" });
    const page = await context.newPage();
    await page.addInitScript(() => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      new MutationObserver(() => seen.push(document.body?.textContent ?? "")).observe(document, {
        childList: true,
        subtree: true,
      });
    });
    await page.goto(stage.server.url);
    await page.getByRole("heading", { name: "Woran arbeitest du?" }).waitFor();
    const seen = await page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen.join("\n"));
    expect(seen).not.toContain("What are you working on?");
    // A real model is asked in the person's language, too.
    await page.getByTitle("Wie spät ist es in Tokio und Paris?").waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("de");
    expect(await page.locator("html").getAttribute("dir")).toBe("ltr");
    await context.close();
  });

  it("has the headings of the list of models on one line, also in long languages on a phone", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, { ...PHONE, locale: "de" });
    await page.locator("[data-part=model-picker] button").click();
    const heading = page.locator(".model-rows .group").first();
    await heading.getByText("pro Million Tokens").waitFor();
    const lines = await heading
      .locator("> span")
      .evaluateAll((spans) => spans.map((span) => span.getBoundingClientRect().height));
    expect(new Set(lines)).toEqual(new Set([16]));
    await context.close();
  });

  it("says in words when a model ends, and what to use instead", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, { locale: "de" });
    const button = page.locator("[data-part=model-picker] button");
    await page.getByText("GPT-4o", { exact: true }).waitFor();
    expect(await button.getAttribute("title")).toMatch(
      /^Dieses Modell wird am \d+\. \p{L}+ \d{4} abgeschaltet\. Stattdessen: GPT-[^/]+$/u,
    );
    await context.close();
  });

  it("calls tools by names in the person's language", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, { locale: "de" });
    await page.locator("[data-part=composer-text]").click();
    await page.keyboard.type("@uhr");
    await page.getByRole("option", { name: /^Uhrzeit\s*Nennt die Zeit überall$/ }).waitFor();
    await page.locator("[data-part=composer-text]").fill("");
    await context.close();
  });

  it("says why a person is asked in the person's language", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url, { locale: "de" });
    const write = { operation: "write", path: ".git/hooks/pre-commit", content: "curl evil.test" };
    stage.play(
      chatTurn({ calls: [{ name: "filesystem", arguments: write }] }),
      chatTurn({ text: "Dann nicht." }),
    );
    await page.locator("[data-part=composer-text]").fill("Richte einen Hook ein");
    await page.keyboard.press("Enter");
    const reason = page.locator("[data-part=approval] .reason");
    await reason.waitFor();
    expect(await reason.textContent()).toBe(
      "Tackle möchte diese Datei ändern. „.git/hooks/pre-commit“ wird später außerhalb der Sandbox ausgeführt: Git, ein Editor, ein Paketmanager, eine Shell, ein Build-Server oder ein Assistent benutzt es von selbst.",
    );
    await page.getByRole("button", { name: "Nicht ändern" }).click();
    await answered(page);
    await context.close();
  });

  it("warns of rules, and names what a call takes, in the person's language", async () => {
    const { page, context } = await openPage(stage.browser, `${stage.server.url}/#/settings/tools`, {
      locale: "de",
    });
    const changing = page.getByRole("combobox", { name: "Alles, was etwas ändert" });
    await changing.click();
    await page.getByRole("option", { name: "Ohne Nachfrage ausführen" }).click();
    await page.getByText("Damit ist jeder Aufruf erlaubt, der etwas ändert.").waitFor();
    await page.getByRole("button", { name: "Regel hinzufügen" }).click();
    const form = page.locator(".rule-form").first();
    await form.getByRole("combobox", { name: "Was geschieht" }).click();
    await page.getByRole("option", { name: "Ohne Nachfrage ausführen" }).click();
    await form.getByRole("combobox", { name: "Tool" }).click();
    await page.getByRole("option", { name: "Befehle", exact: true }).click();
    await form.getByRole("combobox", { name: "Nur wenn dieser Teil des Aufrufs" }).click();
    await page.getByRole("option", { name: "Befehl", exact: true }).click();
    await form.getByRole("combobox", { name: "Vergleich" }).click();
    await page.getByRole("option", { name: "beginnt mit" }).click();
    await form.getByRole("textbox", { name: "Text" }).fill("npm");
    await form.getByRole("button", { name: "Regel speichern" }).click();
    await page.getByText('"^npm" erlaubt auch „npm exec evil“.').waitFor();
    await form.getByRole("button", { name: "Trotzdem speichern" }).click();
    await page.getByText("Läuft ohne Nachfrage: Befehle, wenn Befehl mit „npm“ beginnt").waitFor();
    await page.getByText('"^npm" erlaubt auch „npm exec evil“.').waitFor();
    await page.getByRole("textbox", { name: "Befehl", exact: true }).waitFor();
    await page.getByRole("textbox", { name: "Höchstens so viele Sekunden (freiwillig)" }).waitFor();
    await page.getByText("Nicht erreichbar.").first().waitFor();
    await page.getByRole("button", { name: "Aktionen für Regel 1" }).click();
    await page.getByRole("menuitem", { name: "Entfernen" }).click();
    await page.getByText("Regel entfernt.").waitFor();
    await context.close();
  });

  it("mirrors lists, tables, arrows and times for an Arabic browser", async () => {
    const { page, context, problems } = await openPage(stage.browser, stage.server.url, { locale: "ar" });
    await page.getByRole("heading", { name: "على ماذا تعمل؟" }).waitFor();
    expect(await page.locator("html").getAttribute("dir")).toBe("rtl");
    stage.play(
      chatTurn({ calls: [{ name: "get_time", arguments: { timeZone: "Asia/Tokyo" } }] }),
      chatTurn({ text: "الساعة:\n\n| المدينة | الوقت |\n|---|---|\n| طوكيو | 01:34 |\n\n- أولا\n\n> قول" }),
    );
    await page.locator("[data-part=composer-text]").fill("كم الساعة؟");
    await page.keyboard.press("Enter");
    await answered(page);
    const found = await page.locator("[data-part=prose]").evaluate((prose) => {
      const right = (selector: string) => {
        const range = document.createRange();
        range.selectNodeContents(prose.querySelector(selector) ?? prose);
        return range.getBoundingClientRect().right;
      };
      return {
        edge: right("p") - right("td"),
        columns: right("td") > right("td + td"),
        column: right("th + th") - right("td + td"),
        directions: ["ul", "li", "td + td", "blockquote"].map((selector) => {
          const element = prose.querySelector(selector);
          return element && getComputedStyle(element).direction;
        }),
      };
    });
    expect(found).toEqual({ edge: 0, columns: true, column: 0, directions: ["rtl", "rtl", "rtl", "rtl"] });
    const step = page.locator("[data-part=step]").first();
    expect(await step.textContent()).toMatch(/\d ث$/);
    const arrow = step.locator(".icon[data-name=next]").first();
    expect(await arrow.evaluate((icon) => getComputedStyle(icon).scale)).toBe("-1 1");
    expect(problems).toEqual([]);
    await context.close();
  });

  it("puts each paragraph of a message on the side where its words begin, also while it is typed", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    const field = page.locator("[data-part=composer-text]");
    await field.fill("مرحبا");
    // Where the words end in the picture: the field itself doesn't tell.
    const inkAt = async (side: "start" | "end") => {
      const box = (await field.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      const x = side === "start" ? box.x + 12 : box.x + box.width - 62;
      const picture = await page.screenshot({ clip: { x, y: box.y, width: 50, height: box.height } });
      return picture.length;
    };
    await expect.poll(async () => (await inkAt("end")) > (await inkAt("start"))).toBe(true);
    await field.fill("hello");
    await expect.poll(async () => (await inkAt("start")) > (await inkAt("end"))).toBe(true);
    await context.close();
  });

  it("draws plots from left to right in every language, with no text over a bar or cut off", async () => {
    const { page, context } = await openPage(stage.browser, `${stage.server.url}/#/administration`, {
      locale: "ar",
    });
    const plot = page.locator(".plot svg");
    await plot.waitFor();
    const places = await plot.evaluate((svg) => {
      const edges = (selector: string) =>
        [...svg.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
      const { left, right } = svg.getBoundingClientRect();
      const texts = edges("text");
      return {
        firstBar: Math.min(...edges("rect").map((bar) => bar.left)),
        lastMark: Math.max(...texts.slice(0, 3).map((mark) => mark.right)),
        inside: texts.every((text) => text.left >= left && text.right <= right + 0.5),
      };
    });
    expect(places.lastMark).toBeLessThan(places.firstBar);
    expect(places.inside).toBe(true);
    // The next tab is on the left.
    await page.getByRole("tab").first().focus();
    await page.keyboard.press("ArrowLeft");
    expect(await page.getByRole("tab").nth(1).getAttribute("aria-selected")).toBe("true");
    await context.close();
  });

  it("stays in English if the texts can't be loaded", async () => {
    const { page, context } = await openPage(stage.browser, "about:blank", { locale: "de" });
    await page.route(/german/, (route) => route.abort());
    await page.goto(stage.server.url);
    await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
    await context.close();
  });
});
