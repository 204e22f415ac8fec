import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, expectAccessible, openPage, say } from "./support/browser.ts";
import { openStage, type WebStage } from "./support/web.ts";

const ANSWER =
  "The **tide** is high. It is for you.\n\n```js\nconst hidden = 1;\n```\n\n| City | Time |\n|---|---|\n| Rome | 1 |";
let stage: WebStage;

interface Engines {
  /** Says words to the page, as the browser's engine would. */
  hear(words: string, isFinal: boolean): void;
  fail(error: string): void;
  spoken: { text: string; lang: string }[];
  /** Ends the sentence that is being read. */
  next(): void;
  listening: boolean;
  lang: string;
}

/** Opens the app with engines for speech that the test plays. */
async function openWithEngines(
  options: BrowserContextOptions = {},
): Promise<{ page: Page; close(): Promise<void> }> {
  const { page, context } = await openPage(stage.browser, "about:blank", options);
  await page.addInitScript(() => {
    type Handler = ((event: object) => void) | null;
    let current: { onresult: Handler; onerror: Handler; onend: Handler } | undefined;
    let utterance: { onend: Handler } | undefined;
    const engines = {
      spoken: [] as object[],
      listening: false,
      lang: "",
      hear(transcript: string, isFinal: boolean) {
        current?.onresult?.({ resultIndex: 0, results: [{ isFinal, 0: { transcript } }] });
      },
      fail(error: string) {
        current?.onerror?.({ error });
        end();
      },
      next() {
        const done = utterance;
        utterance = undefined;
        done?.onend?.({});
      },
    };
    function end(): void {
      engines.listening = false;
      current?.onend?.({});
    }
    class Recognition {
      onresult: Handler = null;
      onerror: Handler = null;
      onend: Handler = null;
      lang = "";
      start() {
        current = this;
        engines.listening = true;
        engines.lang = this.lang;
      }
      stop = end;
      abort() {
        engines.listening = false;
      }
    }
    const synthesis = Object.assign(new EventTarget(), {
      getVoices: () => [{ lang: "en-US", localService: true, default: true }],
      speak(next: { text: string; lang: string; onend: Handler }) {
        engines.spoken.push({ text: next.text, lang: next.lang });
        utterance = next;
      },
      cancel() {
        utterance = undefined;
      },
    });
    class Utterance {
      voice: unknown;
      lang = "";
      onend: Handler = null;
      onerror: Handler = null;
      text: string;
      constructor(text: string) {
        this.text = text;
      }
    }
    const define = (name: string, value: unknown) =>
      Object.defineProperty(globalThis, name, { value, configurable: true });
    define("SpeechRecognition", Recognition);
    define("speechSynthesis", synthesis);
    define("SpeechSynthesisUtterance", Utterance);
    define("engines", engines);
  });
  await page.goto(stage.server.url);
  await field(page).waitFor();
  return { page, close: () => context.close() };
}

const field = (page: Page) => page.getByRole("textbox", { name: "Message" });
const engines = <Value>(page: Page, use: (engines: Engines) => Value) =>
  page.evaluate(`(${use})(globalThis.engines)`) as Promise<Value>;

describe.skipIf(!hasBrowser())("speech in the web app", () => {
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.close());

  it("puts dictated words at the caret, and shows those that may still change apart", async () => {
    const { page, close } = await openWithEngines();
    await field(page).fill("Dear , goodbye");
    await field(page).evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(5, 5));
    await page.getByRole("button", { name: "Dictate" }).click();
    await page.getByText("Listening…").waitFor();
    expect(await engines(page, ({ lang }) => lang)).toBe("en");
    await engines(page, ({ hear }) => hear("my fri", false));
    await page.locator(".heard", { hasText: "my fri" }).waitFor();
    expect(await field(page).inputValue()).toBe("Dear , goodbye");
    await expectAccessible(page);
    await engines(page, ({ hear }) => hear("my friend", true));
    expect(await field(page).inputValue()).toBe("Dear my friend, goodbye");
    await engines(page, ({ hear }) => hear("of old", true));
    expect(await field(page).inputValue()).toBe("Dear my friend of old, goodbye");
    await page.getByRole("button", { name: "Stop dictating" }).click();
    await page.locator(".heard").waitFor({ state: "detached" });
    expect(await engines(page, ({ listening }) => listening)).toBe(false);
    // Drafts follow the person, into the next test too.
    await field(page).fill("");
    await expect
      .poll(async () => (await fetch(`${stage.server.url}/me/drafts`)).text())
      .not.toContain("Dear");
    await close();
  });

  it.each([
    ["a desk", {}],
    ["a phone", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ])("shows the first words where they will be written, and nothing moves, on %s", async (_, options) => {
    const { page, close } = await openWithEngines(options);
    const box = () => page.locator("[data-part=composer]").boundingBox();
    const before = await box();
    const words = await field(page).boundingBox();
    await page.getByRole("button", { name: "Dictate" }).click();
    await page.getByText("Listening…").waitFor();
    await engines(page, ({ hear }) => hear("my fri", false));
    const heard = page.locator(".heard", { hasText: "my fri" });
    await heard.waitFor();
    expect(await box()).toEqual(before);
    expect((await heard.boundingBox())?.x).toBe(words?.x);
    expect(await field(page).evaluate((area) => area.clientHeight)).toBe(0);
    await page.keyboard.press("Escape");
    await close();
  });

  it("ends with Esc and with sending, and keeps the words that were heard", async () => {
    const { page, close } = await openWithEngines();
    await page.getByRole("button", { name: "Dictate" }).click();
    await page.locator(".heard").waitFor();
    await engines(page, ({ hear }) => hear("one", false));
    await page.keyboard.press("Escape");
    await page.locator(".heard").waitFor({ state: "detached" });
    expect(await field(page).inputValue()).toBe("one");
    await page.getByRole("button", { name: "Dictate" }).click();
    await page.locator(".heard").waitFor();
    await engines(page, ({ hear }) => hear("two", false));
    stage.play(chatTurn({ text: "Heard." }));
    await field(page).press("Enter");
    await page.locator("[data-part=asked]", { hasText: "one two" }).waitFor();
    await answered(page);
    expect([await engines(page, ({ listening }) => listening), await field(page).inputValue()]).toEqual([
      false,
      "",
    ]);
    await close();
  });

  it("says in words why dictation ended", async () => {
    const { page, close } = await openWithEngines();
    for (const [error, words] of [
      ["not-allowed", "may not use the microphone"],
      ["no-speech", "Nothing was heard"],
      ["network", "speech service can’t be reached"],
    ] as const) {
      await page.getByRole("button", { name: "Dictate" }).click();
      await page.locator(".heard").waitFor();
      await page.evaluate(`globalThis.engines.fail(${JSON.stringify(error)})`);
      await page.getByText(words).waitFor();
      await page.locator(".heard").waitFor({ state: "detached" });
    }
    await close();
  });

  it("reads the prose of an answer, pauses, goes on with the same sentence, and stops on leaving", async () => {
    const { page, close } = await openWithEngines();
    stage.play(chatTurn({ text: ANSWER }));
    await say(page, "Read me something");
    await answered(page);
    await page.locator("article.answer").getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Read aloud" }).click();
    await page.getByRole("button", { name: "Pause reading" }).waitFor();
    await engines(page, ({ next }) => next());
    await page.getByRole("button", { name: "Pause reading" }).click();
    await page.getByRole("button", { name: "Go on reading" }).click();
    await engines(page, ({ next }) => next());
    const spoken = () => engines(page, (all) => all.spoken.map(({ text, lang }) => `${lang} ${text}`));
    expect(await spoken()).toEqual([
      "en-US The tide is high.",
      "en-US It is for you.",
      "en-US It is for you.",
      "en-US A table with 1 row: City, Time.",
    ]);
    await page.getByRole("button", { name: "New chat" }).first().click();
    await engines(page, ({ next }) => next());
    expect(await spoken()).toHaveLength(4);
    await close();
  });

  it("shows nothing of it in a browser without engines", async () => {
    const { page, context } = await openPage(stage.browser, "about:blank");
    await page.addInitScript(() => {
      for (const name of ["SpeechRecognition", "webkitSpeechRecognition", "speechSynthesis"])
        Reflect.deleteProperty(globalThis, name);
    });
    await page.goto(stage.server.url);
    stage.play(chatTurn({ text: "Quiet." }));
    await say(page, "Anything?");
    await answered(page);
    expect(await page.getByRole("button", { name: "Dictate" }).count()).toBe(0);
    await page.locator("article.answer").getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Report a problem" }).waitFor();
    expect(await page.getByRole("menuitem", { name: "Read aloud" }).count()).toBe(0);
    await context.close();
  });
});
