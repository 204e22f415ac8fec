import { setTimeout as wait } from "node:timers/promises";
import type { Browser, CDPSession, Page } from "playwright-core";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import type { Turn } from "../src/sim/turn.ts";
import { chatTurn, errorTurn, jsonTurn } from "../src/sim/turns.ts";
import { startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, buildWebApp, openPage, say } from "../test/support/browser.ts";
import { DESK, firstLoad, layoutShift } from "../test/support/look.ts";
import { modelAt, startServer, temporaryFolder } from "../test/support/server.ts";

const CHARACTERS_PER_TOKEN = 4;
const LONG_SESSION = 2_000;
const PAINTS = 5;
const COMPONENT =
  'export default function Hello() {\n  return <h1 className="p-4 text-2xl font-bold">Hello from the frame</h1>;\n}\n';

interface Work {
  /** CPU time of the page's main thread, in milliseconds. */
  total: number;
  longest: number;
  over50: number;
}

/**
 * Measures the performance goals of the web app in headless Chromium, as CPU time of the main thread in the browser's trace.
 * `--only=visit,slow,fast,long,artifact` measures some of them.
 */
export async function run(): Promise<void> {
  const only = process.argv
    .find((word) => word.startsWith("--only="))
    ?.slice("--only=".length)
    .split(",");
  buildWebApp();
  const folder = temporaryFolder();
  const turns: Turn[] = [];
  const upstream = await startUpstream({
    record: false,
    // The check would be measured, too.
    rules: "off",
    respond: ({ method }) =>
      method === "GET" ? jsonTurn({ object: "list", data: [] }) : (turns.shift() ?? errorTurn(500)),
  });
  const server = await startServer(folder.path, modelAt(upstream.url));
  const browser = await startBrowser();
  try {
    for (const [name, measure] of Object.entries(PARTS)) {
      if (only === undefined || only.includes(name)) await measure(browser, server.url, turns);
    }
  } finally {
    await browser.close();
    await server.stop();
    await upstream.close();
    folder.remove();
  }
}

type Measure = (browser: Browser, url: string, turns: Turn[]) => Promise<void>;

const PARTS: Record<string, Measure> = {
  visit,
  slow: stream({ tokens: 10_000, perSecond: 200, gate: "5 s, 17 ms" }),
  fast: stream({ tokens: 40_000, perSecond: 800, gate: "longest task at most 60 ms" }),
  long: openLong,
  artifact: paintArtifact,
};

/** What the first visit loads, and how far things move by themselves from there to the second answer. */
async function visit(browser: Browser, url: string, turns: Turn[]): Promise<void> {
  const { page, context } = await openPage(browser, "about:blank", DESK);
  const { script, style, font } = await firstLoad(page, url);
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
  console.log(
    `first load: ${kilobytes(script)} of JavaScript, ${kilobytes(style)} of style sheets, ${kilobytes(font)} of fonts (figure: 170, 14, 60 kB)`,
  );
  const time = { name: "get_time", arguments: { timeZone: "Asia/Tokyo" } };
  const made = {
    name: "generate_artifact",
    arguments: { type: "html", code: "<h1>A page</h1>", title: "Page" },
  };
  turns.push(chatTurn({ reasoning: "Hm.", calls: [time] }), chatTurn({ text: article(800) }));
  turns.push(
    chatTurn({ calls: [made] }),
    chatTurn({ text: "There it is." }),
    chatTurn({ text: article(800) }),
  );
  for (const question of ["What time is it?", "A page", "And now?"]) {
    await say(page, question);
    await answered(page);
  }
  const { total } = await layoutShift(page);
  console.log(
    `layout shift from the first load to the third answer: ${total.toFixed(4)} (figure: at most 0.01)`,
  );
  await context.close();
}

function stream({ tokens, perSecond, gate }: { tokens: number; perSecond: number; gate: string }): Measure {
  return async (browser, url, turns) => {
    const { page, context } = await openPage(browser, url);
    context.setDefaultTimeout(180_000);
    // What drives the browser runs a script in the page when it is first used, which would be measured, too.
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    const text = article(tokens * CHARACTERS_PER_TOKEN);
    turns.push(chatTurn({ text, chunkSize: CHARACTERS_PER_TOKEN, gapMs: 1000 / perSecond }));
    const { total, longest, over50 } = await traced(browser, page, async () => {
      await say(page, "write");
      // Looking for the end of the answer in the page would be measured, too.
      await wait((tokens / perSecond) * 1000);
      await answered(page);
    });
    const shown = await page.locator(".prose").evaluate((prose) => prose.textContent?.length ?? 0);
    console.log(
      `${tokens} tokens at ${perSecond}/s: ${(total / 1000).toFixed(1)} s CPU, longest task ${longest.toFixed(0)} ms, ${over50} over 50 ms, ${shown} characters shown (figure: ${gate})`,
    );
    await context.close();
  };
}

async function openLong(browser: Browser, url: string, turns: Turn[]): Promise<void> {
  let sessionId: string | undefined;
  for (let count = 0; count < LONG_SESSION / 2; count++) {
    turns.push(chatTurn({ text: article(600), chunkSize: 2_000 }));
    const response = await fetch(`${url}/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        message: `Question ${count}`,
        stream: false,
        ...(sessionId ? { sessionId } : {}),
      }),
    });
    const answer = (await response.json()) as { sessionId?: string };
    sessionId ??= answer.sessionId;
  }
  const { page, context } = await openPage(browser, url);
  await page.waitForTimeout(500);
  let milliseconds = 0;
  const { longest } = await traced(browser, page, async () => {
    milliseconds = await page.evaluate(async (id) => {
      const began = performance.now();
      location.hash = `#/s/${id}`;
      while (!document.querySelector("article.answer"))
        await new Promise((resolve) => requestAnimationFrame(resolve));
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return performance.now() - began;
    }, sessionId);
  });
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  console.log(
    `${LONG_SESSION} messages: open in ${milliseconds.toFixed(0)} ms, longest task ${longest.toFixed(0)} ms, ${nodes} elements (figure: under 800 ms, no task over 100 ms, under 3,000)`,
  );
  await context.close();
}

/** The time from complete code to first paint, in a waiting frame and in a new one. */
async function paintArtifact(browser: Browser, url: string, turns: Turn[]): Promise<void> {
  const warm: number[] = [];
  const cold: number[] = [];
  for (let round = 0; round < PAINTS; round++) {
    const { page, context } = await openPage(browser, url, { viewport: { width: 1440, height: 900 } });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const code = chatTurn({ text: COMPONENT });
    turns.push(
      chatTurn({ calls: [{ name: "generate_artifact", arguments: { type: "react", prompt: "say hello" } }] }),
      { ...code, frames: [{ hold: released }, ...code.frames] },
      chatTurn({ text: "Done." }),
    );
    await page.evaluate(() => {
      addEventListener("message", ({ data }) => {
        if (data?.type === "ready") performance.mark("ready");
      });
      const observer = new MutationObserver(() => {
        if (!document.querySelector(".artifact-card")?.textContent?.includes("version")) return;
        performance.mark("complete");
        observer.disconnect();
      });
      observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    await say(page, "make it");
    await page.waitForFunction(() => performance.getEntriesByName("ready").length === 1);
    release();
    await page.waitForFunction(() => performance.getEntriesByName("ready").length === 2);
    warm.push(await since(page, "complete"));
    await answered(page);
    await page.getByRole("complementary").getByRole("button", { name: "Close" }).click();
    await page.evaluate(() => performance.mark("opened"));
    await page.locator(".artifact-card").click();
    await page.waitForFunction(() => performance.getEntriesByName("ready").length === 3);
    cold.push(await since(page, "opened"));
    await context.close();
  }
  const worst = (values: number[]) => Math.max(...values).toFixed(0);
  console.log(
    `artifact, code to picture, worst of ${PAINTS}: ${worst(warm)} ms in a preloaded frame, ${worst(cold)} ms in a new one (figure: 150 ms, 1,000 ms)`,
  );
}

function since(page: Page, mark: string): Promise<number> {
  return page.evaluate((from) => {
    const at = (name: string) => performance.getEntriesByName(name).at(-1)?.startTime ?? 0;
    return at("ready") - at(from);
  }, mark);
}

/** The work of the page's main thread. */
async function traced(browser: Browser, page: Page, work: () => Promise<void>): Promise<Work> {
  const session = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send("Tracing.start", {
    traceConfig: {
      recordMode: "recordAsMuchAsPossible",
      includedCategories: ["toplevel", "blink.user_timing"],
    },
    transferMode: "ReportEvents",
  });
  await page.evaluate(() => performance.mark("tackle-bench"));
  await work();
  await endTracing(session);
  const mark = events.find(({ name }) => name === "tackle-bench");
  const tasks = events.filter(
    ({ name, pid, tid, ph }) =>
      ph === "X" && pid === mark?.pid && tid === mark.tid && name === "ThreadControllerImpl::RunTask",
  );
  if (tasks.length === 0) throw new Error("the trace has no tasks of the page");
  const times = tasks.map(({ tdur = 0 }) => tdur / 1000);
  return {
    total: times.reduce((sum, time) => sum + time, 0),
    longest: times.reduce((most, time) => Math.max(most, time), 0),
    over50: times.filter((time) => time > 50).length,
  };
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** CPU microseconds. */
  tdur?: number;
}

async function endTracing(session: CDPSession): Promise<void> {
  const complete = new Promise<void>((resolve) => session.once("Tracing.tracingComplete", () => resolve()));
  await session.send("Tracing.end");
  await complete;
  await session.detach();
}

/** Markdown of about this length, with everything that answers contain. */
function article(characters: number): string {
  const pieces: string[] = [];
  let length = 0;
  for (let count = 1; length < characters; count++) {
    const piece = PIECES[count % PIECES.length]?.replaceAll("N", String(count)) ?? "";
    pieces.push(piece);
    length += piece.length + 2;
  }
  return pieces.join("\n\n").slice(0, characters);
}

const PIECES = [
  "## Part N\n\nThe **second** look at part N shows `value_N`, and [a link](https://example.com/N) that says more about it than a sentence of this length could say in passing.",
  "A paragraph of ordinary length, with some *stress* here and there, a number such as N, and enough words to fill three or four lines of the column in which it is read, as most paragraphs do.",
  "- first point of N\n- second point, a little longer than the first\n- third point with `code`\n  - and one below it",
  "```ts\nexport function part(value: number): number {\n  // N\n  const result = value * N;\n  if (result > 10) return result - 1;\n  return result;\n}\n```",
  "| name | value |\n| --- | ---: |\n| one | N |\n| two | 2 |",
];
