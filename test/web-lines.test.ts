import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Frame } from "../src/sim/turn.ts";
import { chatTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, expectAccessible, openPage, say } from "./support/browser.ts";
import { temporaryFolder } from "./support/server.ts";
import { openStage, type WebStage } from "./support/web.ts";

const folder = temporaryFolder();
let stage: WebStage;

const chunk = (delta: object, finish_reason: string | null = null): Frame => ({
  json: { id: "chatcmpl-1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] },
});
/** Changes how long the model has thought, in everything that the page loads from now on. */
async function thoughtFor(page: Page, milliseconds: number): Promise<void> {
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.route("**/messages*", async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace(/"durationMs":\d+/g, `"durationMs":${milliseconds}`);
    await route.fulfill({ response: answer, body });
  });
  await page.reload();
  await answered(page);
}

describe.skipIf(!hasBrowser())("lines about what a model does", () => {
  beforeAll(async () => {
    const root = join(folder.path, "holiday plans");
    await mkdir(root);
    stage = await openStage({ TACKLE_ROOTS: root });
  });
  afterAll(async () => {
    await stage?.close();
    folder.remove();
  });

  it("say that an artifact is being built, how long it is so far, and what it became", async () => {
    const { page, context, problems } = await openPage(stage.browser, stage.server.url);
    const [begin, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const frames: Frame[] = [
      { hold: begin.promise },
      chunk({ role: "assistant", content: "<p>one</p>\n<p>two</p>\n<p>thr" }),
      { hold: rest.promise },
      chunk({ content: "ee</p>" }),
      chunk({}, "stop"),
      "data: [DONE]\n\n",
    ];
    const wish = { type: "html", title: "Clock", prompt: "a clock" };
    stage.play(
      chatTurn({ calls: [{ name: "generate_artifact", arguments: wish }] }),
      { frames },
      chatTurn({ text: "There it is." }),
    );
    await say(page, "Make a clock");
    const card = page.locator(".artifact-card");
    await card.getByText("Building…").waitFor();
    begin.resolve();
    await card.getByText("Building… 3 lines").waitFor();
    rest.resolve();
    await answered(page);
    await card.getByText(/^Page · version 1 · built in /).waitFor();
    expect(await page.getByText("Building…").count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("say for how long a model has thought, unless that was only a moment", async () => {
    const { page, context, problems } = await openPage(stage.browser, stage.server.url);
    stage.play(chatTurn({ reasoning: "Seven is prime.", text: "Seven." }));
    await say(page, "Name a prime");
    await answered(page);
    await thoughtFor(page, 4_200);
    const line = page.getByRole("button", { name: "Thought for 4.2 s" });
    await line.waitFor();
    await line.click();
    await page.getByText("Seven is prime.").waitFor();
    await expectAccessible(page);
    await thoughtFor(page, 75_000);
    await page.getByRole("button", { name: "Thought for 1 min 15 s" }).waitFor();
    await thoughtFor(page, 1_900);
    expect(await page.getByText(/^Thought/).count()).toBe(0);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    expect(problems).toEqual([]);
    await context.close();
  });

  it("name the folder that tools may change, in the list of tools", async () => {
    const { page, context } = await openPage(stage.browser, stage.server.url);
    await page.getByRole("button", { name: /^Tools/ }).click();
    const files = page.getByRole("switch", { name: /In the folder holiday plans, asks first/ });
    await files.waitFor();
    // The place of the folder on the server is nobody's business.
    expect(await page.content()).not.toContain(folder.path);
    await context.close();
  });
});
