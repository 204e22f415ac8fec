import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Shown } from "./frame/content.ts";
import { processArtifact } from "./pipeline.ts";
import { BROKEN_MEANING } from "./testing/broken-meaning.ts";
import { BROKEN_OTHERS } from "./testing/broken-others.ts";
import { BROKEN_SYNTAX } from "./testing/broken-syntax.ts";
import { type Exhibit, type Gallery, inParallel, openGallery, visibleText } from "./testing/browser.ts";
import type { ArtifactCase } from "./testing/case.ts";
import { hasBrowser } from "./testing/chromium.ts";
import { CORRECT } from "./testing/correct.ts";
import { MUTATED } from "./testing/state-cases.ts";

const BROKEN = [...BROKEN_SYNTAX, ...BROKEN_MEANING, ...BROKEN_OTHERS];
const AT_ONCE = 4;

describe.skipIf(!hasBrowser())("artifacts in a real browser", () => {
  let gallery: Gallery;

  beforeAll(async () => {
    gallery = await openGallery();
  });

  afterAll(() => gallery?.close());

  async function show(one: ArtifactCase, code: string): Promise<{ text: string; html: string }> {
    const artifact: Shown = { type: one.type ?? "react", title: one.name, code };
    const exhibit = await gallery.open(artifact);
    try {
      for (const label of one.press ?? []) await press(exhibit, label);
      const text = one.press
        ? await textWith(exhibit, artifact, one.shows)
        : await visibleText(exhibit.frame, artifact);
      const html = await exhibit.frame.evaluate(() => document.body.innerHTML);
      const failed = (await exhibit.messages()).find(({ type }) => type === "error");
      return { text: failed ? `${text} ERROR ${failed.message}` : text, html: comparable(html) };
    } finally {
      await exhibit.close();
    }
  }

  async function failuresOf(cases: readonly ArtifactCase[]): Promise<string[]> {
    const failures: string[] = [];
    await inParallel(cases, AT_ONCE, async (one) => {
      const { ok, code, issues } = await processArtifact({ type: one.type ?? "react", code: one.code });
      if (!ok)
        return void failures.push(
          `${one.name}: ${issues.find(({ severity }) => severity === "error")?.message}`,
        );
      const { text } = await show(one, code);
      if (!text.includes(one.shows) || text.includes("ERROR") || /nothing is drawn/.test(text))
        failures.push(`${one.name}: shows ${text.slice(0, 200)}`);
    });
    return failures;
  }

  test("broken artifacts are repaired and work in at least 95 of 100 cases", {
    timeout: 120_000,
  }, async () => {
    const failures = await failuresOf(BROKEN);
    console.log(
      `${BROKEN.length - failures.length} of ${BROKEN.length} broken artifacts come out working.`,
      failures,
    );
    expect(BROKEN.length).toBeGreaterThanOrEqual(80);
    expect(failures.length / BROKEN.length).toBeLessThanOrEqual(0.05);
  });

  test("values changed in place show their new state, and the old state stays as it was", {
    timeout: 120_000,
  }, async () => {
    expect(await failuresOf(MUTATED)).toEqual([]);
  });

  test("correct artifacts look and work the same before and after processing", {
    timeout: 120_000,
  }, async () => {
    const changed: string[] = [];
    await inParallel(CORRECT, AT_ONCE, async (one) => {
      const { ok, code } = await processArtifact({ type: one.type ?? "react", code: one.code });
      const before = await show(one, one.code.replaceAll("\r\n", "\n"));
      const after = await show(one, code);
      if (!ok || before.html !== after.html || before.text !== after.text || !after.text.includes(one.shows))
        changed.push(`${one.name}: ${before.text.slice(0, 100)} | ${after.text.slice(0, 100)}`);
    });
    expect(CORRECT.length).toBeGreaterThanOrEqual(40);
    expect(changed).toEqual([]);
  });
});

async function press({ frame }: Exhibit, label: string): Promise<void> {
  // The mouse would not work: pages that run in parallel share it.
  await frame
    .getByRole("button", { name: label, exact: true })
    .evaluate((button) => (button as HTMLElement).click());
}

/** Returns the text as soon as it contains the wanted text, or the current text after a timeout. */
async function textWith({ frame }: Exhibit, artifact: Shown, wanted: string): Promise<string> {
  await frame
    .waitForFunction((text) => document.body.innerText.replace(/\s+/g, " ").includes(text), wanted, {
      timeout: 3_000,
    })
    .catch(() => undefined); // The caller compares the text.
  return visibleText(frame, artifact);
}

/** The page without parts that differ each time: nonces, generated ids, scripts. */
function comparable(html: string): string {
  return html
    .replace(/<script[\s\S]*?<\/script>/g, "")
    .replace(/\b(?:id|aria-controls|aria-labelledby|for|clip-path|marker-end)="[^"]*"/g, "")
    .replace(/recharts\w*-\w+|_r_\w+_|url\([^)]*\)/g, "");
}
