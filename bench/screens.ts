import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { startSearch } from "../src/sim/testing/search.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import { chatTurn, errorTurn, jsonTurn } from "../src/sim/turns.ts";
import { startBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, buildWebApp, openPage, say } from "../test/support/browser.ts";
import { modelAt, startServer, temporaryFolder } from "../test/support/server.ts";
import { administrationPictures } from "./screens/administration.ts";

const target = join(import.meta.dirname, "../docs/screens");
const WIDE = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

const EXPLANATION = `The model asks, the server checks and runs, and the result goes back:

\`\`\`mermaid
flowchart LR
  M[Model] -->|call| G{Five layers}
  G -->|allowed| T[Tool]
  G -->|asks| P[Person]
  P -->|once| T
  T -->|result| M
\`\`\`

With $n$ steps of $t_i$ tokens at the price $p$, a turn costs

$$C = p \\sum_{i=1}^{n} t_i$$

- [x] each call gets exactly one result
- [ ] nothing runs twice
`;

/** Takes pictures of the app's main states for the README and for reviews: `docs/screens/`. */
export async function run(): Promise<void> {
  buildWebApp();
  mkdirSync(target, { recursive: true });
  const folder = temporaryFolder();
  const workspace = temporaryFolder();
  writeFileSync(join(workspace.path, "notes.txt"), "Buy milk\nCall Ada\n");
  const search = await startSearch("tavily");
  const broken = await startUpstream({ respond: () => errorTurn(401, { message: "Invalid key" }) });
  const demo = await startServer(join(folder.path, "demo"), {
    ...search.settings,
    TACKLE_ROOTS: workspace.path,
    TACKLE_DEMO_TOKENS_PER_SECOND: "80",
    TACKLE_TITLE_MODEL: "",
  });
  const written = await startUpstream({
    respond: ({ method }) =>
      method === "GET" ? jsonTurn({ object: "list", data: [] }) : chatTurn({ text: EXPLANATION }),
  });
  const scripted = await startServer(join(folder.path, "scripted"), modelAt(written.url));
  const failing = await startServer(join(folder.path, "failing"), modelAt(broken.url));
  const browser = await startBrowser();

  async function picture(
    name: string,
    url: string,
    options: BrowserContextOptions,
    prepare: (page: Page) => Promise<unknown>,
    leave?: (page: Page) => Promise<unknown>,
  ): Promise<void> {
    const { page, context } = await openPage(browser, url, { ...options, reducedMotion: "reduce" });
    await page.getByRole("heading", { name: "What are you working on?" }).waitFor();
    await prepare(page);
    await page.screenshot({ path: join(target, `${name}.png`) });
    console.log(`docs/screens/${name}.png`);
    await leave?.(page);
    await context.close();
  }

  try {
    await picture("empty", demo.url, WIDE, async (page) =>
      page.locator("[data-part=model-picker]").getByText("demo").waitFor(),
    );
    await picture("streaming", demo.url, WIDE, async (page) => {
      await say(page, "What time is it in Tokyo and in Paris?");
      await page.locator("[data-status=succeeded]").nth(1).waitFor({ state: "attached" });
      await page.locator(".answer[data-live] table, .answer table").first().waitFor();
    });
    for (const colorScheme of ["light", "dark"] as const)
      await picture(
        `approval-${colorScheme}`,
        demo.url,
        { ...WIDE, colorScheme },
        async (page) => {
          await say(page, "write 'Buy milk and bread' to the file notes.txt");
          await page.getByRole("button", { name: / once$/ }).waitFor();
        },
        async (page) => {
          await page.getByRole("button", { name: /^Don’t \w+$/ }).click();
          await answered(page);
        },
      );
    for (const colorScheme of ["light", "dark"] as const)
      await picture(`diagram-${colorScheme}`, scripted.url, { ...WIDE, colorScheme }, async (page) => {
        await say(page, "How does a tool call work, and what does it cost?");
        await answered(page);
        await page.locator(".diagram img").waitFor();
        await page.locator(".katex").first().waitFor();
        await page.locator(".log").evaluate((log) => log.scrollTo(0, 0));
      });
    for (const colorScheme of ["light", "dark"] as const)
      await picture(`artifact-${colorScheme}`, demo.url, { ...WIDE, colorScheme }, async (page) => {
        await say(page, "Make a React chart of monthly sales");
        await page.frameLocator(".artifact-panel iframe").locator("svg, button, h1, h2").first().waitFor();
        await answered(page);
      });
    await picture("sources", demo.url, WIDE, async (page) => {
      await say(page, "search the web for lighthouses");
      await answered(page);
      await page.getByRole("button", { name: /^\d+ sources$/ }).click();
    });
    await picture("phone", demo.url, PHONE, async (page) => {
      await say(page, "What time is it in Tokyo and in Paris?");
      await answered(page);
    });
    await administrationPictures(browser, target);
    await picture("error", failing.url, WIDE, async (page) => {
      await say(page, "Hello?");
      await page.locator("[data-part=problem]").waitFor();
    });
  } finally {
    await browser.close();
    await demo.stop();
    await failing.stop();
    await scripted.stop();
    await written.close();
    await search.close();
    await broken.close();
    folder.remove();
    workspace.remove();
  }
}
