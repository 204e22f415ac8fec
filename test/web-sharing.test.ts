import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn, errorTurn } from "../src/sim/turns.ts";
import { answered, choose, expectAccessible, openPage, say } from "./support/browser.ts";
import { heldTurn, openStage, type WebStage } from "./support/web.ts";

let stage: WebStage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

async function open(): Promise<{ page: Page; problems: string[] }> {
  // Pages that an earlier test left would follow what happens in this one.
  for (const left of stage.browser.contexts()) await left.close();
  const { page, problems, context } = await openPage(stage.browser, stage.server.url);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  return { page, problems };
}

/** Opens the menu of the newest answer and chooses an entry. */
async function chooseMore(page: Page, name: string): Promise<void> {
  await page.locator("article.answer").last().getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name }).click();
}

/** Counts the conversations with a title. */
async function titled(title: string): Promise<number> {
  const answer = await fetch(`${stage.server.url}/sessions?limit=100`);
  const { sessions } = (await answer.json()) as { sessions: { title: string }[] };
  return sessions.filter((session) => session.title === title).length;
}

/** Puts the question of the newest answer to these models too. */
async function compareWith(page: Page, ...models: string[]): Promise<void> {
  await chooseMore(page, "Compare with other models…");
  const dialog = page.getByRole("dialog", { name: "Compare with" });
  for (const model of models) {
    await dialog.getByRole("combobox", { name: "Search models" }).fill(model);
    await dialog.getByRole("option", { name: model, exact: true }).click();
  }
  await expect.poll(() => dialog.locator("[aria-selected=true]").count()).toBe(models.length);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Compare", exact: true }).click();
}

describe("sharing in the web app", () => {
  it("makes a link that a stranger reads without asking the server for anything, and continues", async () => {
    const { page, problems } = await open();
    const artifact = { type: "html", title: "Desks", code: "<p>forty desks</p>" };
    stage.play(
      chatTurn({ calls: [{ name: "generate_artifact", arguments: artifact }] }),
      chatTurn({ text: "The **second** one." }),
    );
    await say(page, "Which is cheaper?");
    await answered(page);
    await page.getByRole("button", { name: "Share", exact: true }).first().click();
    const dialog = page.getByRole("dialog", { name: "Share this conversation" });
    await dialog.getByText("2 messages and 1 page").waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Control+k");
    await dialog.getByRole("button", { name: "Create link" }).click();
    await dialog.getByRole("button", { name: "Copy link" }).click();
    await dialog.getByRole("button", { name: "Copied" }).waitFor();
    const url = await page.evaluate(() => navigator.clipboard.readText());
    const reader = await openPage(stage.browser, "about:blank");
    const asked: string[] = [];
    reader.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await reader.page.goto(url);
    await reader.page.getByText("The second one.").waitFor();
    await reader.page.frameLocator("iframe").getByText("forty desks").waitFor();
    expect(asked.filter((path) => !/^\/(?:s\/|assets\/|vendor\/)/.test(path))).toEqual([]);
    await expectAccessible(reader.page);
    expect(await reader.page.getByRole("textbox").count()).toBe(0);
    expect(reader.problems).toEqual([]);
    await reader.page.getByRole("link", { name: "Continue in your own chat" }).click();
    await reader.page.getByRole("textbox", { name: "Message" }).waitFor();
    await reader.page.locator(".asked-words", { hasText: "Which is cheaper?" }).waitFor();
    const ends = dialog.getByRole("combobox", { name: "Link ends" });
    const inDays = (days: number) =>
      new Intl.DateTimeFormat("en", { month: "short", day: "numeric" }).format(
        Date.now() + days * 86_400_000,
      );
    await expect.poll(() => ends.textContent()).toContain(inDays(30));
    await choose(page, "Link ends", "in 7 days");
    await expect.poll(() => ends.textContent()).toContain(inDays(7));
    const sure = page.getByRole("dialog", { name: "Stop sharing" });
    await dialog.getByRole("button", { name: "Stop sharing" }).click();
    await sure.getByRole("button", { name: "Cancel" }).click();
    await reader.page.goto(url);
    await reader.page.getByText("The second one.").waitFor();
    await dialog.getByRole("button", { name: "Stop sharing" }).click();
    await sure.getByRole("button", { name: "Stop sharing" }).click();
    await dialog.getByRole("button", { name: "Create link" }).waitFor();
    await reader.page.goto(url);
    await reader.page.getByText("This link doesn’t work anymore.").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    // The search that was asked for above does not open after it.
    await page.waitForTimeout(500);
    expect(await page.locator("[data-part=palette]").count()).toBe(0);
    expect(problems).toEqual([]);
  });
});

it("a temporary chat, which ends when it is left, can't be shared", async () => {
  const { page } = await open();
  await page.getByRole("button", { name: "Make this chat temporary" }).click();
  stage.play(chatTurn({ text: "Not for long." }));
  await say(page, "Hello");
  await answered(page);
  await page.getByText("It’s deleted when you leave it.").waitFor();
  expect(await page.getByRole("button", { name: "Share", exact: true }).count()).toBe(0);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /Search commands/ }).fill("share");
  await page
    .getByRole("option", { name: /Save as PDF|New chat|Export/ })
    .first()
    .waitFor({ state: "detached" });
  expect(await page.getByRole("option", { name: "Share", exact: true }).count()).toBe(0);
});

describe("what can be done with an answer", () => {
  it("rates it, with a reason, and takes that back", async () => {
    const { page, problems } = await open();
    stage.play(chatTurn({ text: "Short." }));
    await say(page, "Hello");
    await answered(page);
    // The row has three actions; rating is one click further.
    const actions = page.locator("[data-part=actions]").last().getByRole("button");
    expect(await actions.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")))).toEqual([
      "Copy",
      "Ask again",
      "More",
    ]);
    const bad = page.getByRole("menuitemradio", { name: "Bad answer" });
    await page.getByRole("button", { name: "More", exact: true }).click();
    await bad.click();
    await page.getByRole("textbox", { name: "What was wrong?" }).fill("Too short");
    await page.keyboard.press("Enter");
    await page.getByText("Your feedback is saved.").waitFor();
    await page.reload();
    await answered(page);
    await page.getByRole("button", { name: "More", exact: true }).click();
    expect(await bad.getAttribute("aria-checked")).toBe("true");
    await bad.click();
    await page.getByRole("button", { name: "More", exact: true }).click();
    await expect.poll(() => bad.getAttribute("aria-checked")).toBe("false");
    expect(problems).toEqual([]);
  });

  it("asks another model, shows both answers side by side, and goes on with the one that is chosen", async () => {
    const { page, problems } = await open();
    stage.play(chatTurn({ text: "The first answer." }));
    await say(page, "Compare this");
    await answered(page);
    await compareWith(page, "Demo model");
    const columns = page.locator(".compare-columns section");
    const goOn = columns.nth(1).getByRole("button", { name: "Continue with this" });
    await expect.poll(() => goOn.isEnabled()).toBe(true);
    const other = (await columns.nth(1).locator(".prose").first().textContent())?.slice(0, 20) ?? "";
    expect(other).not.toBe("");
    await columns.nth(0).getByText("The first answer.").waitFor();
    await columns.nth(0).getByRole("button", { name: "Continue with this" }).click();
    await page.locator("article.answer", { hasText: "The first answer." }).waitFor();
    await chooseMore(page, "Show all versions");
    const rows = page.locator(".tree button");
    await expect.poll(() => rows.count()).toBe(3);
    await page.locator(".tree button:focus").waitFor();
    await page.keyboard.press("End");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("Demo model");
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    await page.locator("article.answer", { hasText: other }).waitFor();
    expect(problems).toEqual([]);
  });

  it("asks three more models at once, keeps the answer that is chosen, and leaves nothing of the others", async () => {
    const { page, problems } = await open();
    const held = ["Alpha", "Beta", "Gamma"].map((name) => heldTurn(`${name} begins.`, ` ${name} ends.`));
    stage.play(chatTurn({ text: "The first answer." }), ...held.map(({ turn }) => turn));
    await say(page, "Ask all of them");
    await answered(page);
    const before = page.url();
    await compareWith(page, "GPT-4.1", "GPT-4.1 mini", "GPT-4o mini");
    const columns = page.locator(".compare-columns section");
    await expect.poll(() => columns.getByText("begins.").count()).toBe(3);
    expect(await page.locator(".compare-columns section[aria-busy=true]").count()).toBe(3);
    expect(await columns.getByRole("button", { name: "Continue with this", disabled: true }).count()).toBe(3);
    for (const { release } of held) release();
    await expect.poll(() => columns.getByText("ends.").count()).toBe(3);
    await expectAccessible(page);

    await page.setViewportSize({ width: 390, height: 800 });
    const tabs = page.getByRole("dialog").getByRole("tab");
    const names = ["GPT-4o", "GPT-4.1", "GPT-4.1 mini", "GPT-4o mini"];
    await expect.poll(() => tabs.allTextContents()).toEqual(names);
    await page.getByRole("tab", { name: "GPT-4o mini" }).click();
    expect(await columns.filter({ visible: true }).count()).toBe(1);
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 800 });

    const chosen = (await columns.nth(3).locator(".prose").textContent()) ?? "";
    await columns.nth(3).getByRole("button", { name: "Continue with this" }).click();
    await page.locator("article.answer", { hasText: chosen }).waitFor();
    await page.getByText("2 / 2").first().waitFor();
    await expect.poll(() => page.url()).not.toBe(before);
    await expect.poll(() => titled("Ask all of them")).toBe(2);
    await page.goto(before);
    await page.reload();
    await answered(page);
    await chooseMore(page, "Show all versions");
    await expect.poll(() => page.locator(".tree button").count()).toBe(3);
    expect(problems).toEqual([]);
  });

  it("says in the tree which version has no answer", async () => {
    const { page } = await open();
    stage.play(chatTurn({ text: "The first answer." }), errorTurn(400));
    await say(page, "Twice");
    await answered(page);
    await page.getByRole("button", { name: "Ask again", exact: true }).last().click();
    await page.locator("[data-part=problem]").waitFor();
    await chooseMore(page, "Show all versions");
    await page.locator(".tree button", { hasText: "There is no answer." }).waitFor();
  });

  it("stops one of the answers that are compared, and leaves the others", async () => {
    const { page, problems } = await open();
    const held = [heldTurn("One", " more."), heldTurn("Two", " more.")];
    stage.play(chatTurn({ text: "The first answer." }), ...held.map(({ turn }) => turn));
    await say(page, "Stop one of them");
    await answered(page);
    await compareWith(page, "GPT-4.1", "GPT-4o mini");
    const columns = page.locator(".compare-columns section");
    await expect.poll(() => columns.getByText(/^(?:One|Two)$/).count()).toBe(2);
    await page.getByRole("button", { name: "Stop GPT-4o mini" }).click();
    const [own, side] = [columns.nth(1), columns.nth(2)];
    await expect.poll(() => side.getAttribute("aria-busy")).toBe("false");
    expect(await side.getByRole("button", { name: "Continue with this" }).isEnabled()).toBe(true);
    expect(await own.getAttribute("aria-busy")).toBe("true");
    await page.getByRole("button", { name: "Stop GPT-4.1" }).click();
    await expect.poll(() => own.getAttribute("aria-busy")).toBe("false");
    await expectAccessible(page);
    for (const { release } of held) release();
    await page.keyboard.press("Escape");
    expect(problems).toEqual([]);
  });

  it("deletes what was asked beside a conversation when the comparison is closed", async () => {
    const { page, problems } = await open();
    const held = [heldTurn("One", " more."), heldTurn("Two", " more.")];
    stage.play(chatTurn({ text: "The first answer." }), ...held.map(({ turn }) => turn));
    await say(page, "Only looking");
    await answered(page);
    await compareWith(page, "GPT-4.1", "GPT-4o mini");
    const columns = page.locator(".compare-columns section");
    await expect.poll(() => columns.getByText(/^(?:One|Two)$/).count()).toBe(2);
    // Nobody sees the fork, here or on another device.
    expect(await titled("Only looking")).toBe(1);
    await page.keyboard.press("Escape");
    await expect.poll(() => titled("Only looking")).toBe(1);
    for (const { release } of held) release();
    await answered(page);
    expect(problems).toEqual([]);
  });

  it("branches from it into a separate conversation", async () => {
    const { page, problems } = await open();
    stage.play(chatTurn({ text: "One." }), chatTurn({ text: "Two." }));
    await say(page, "First");
    await answered(page);
    await say(page, "Second");
    await page.getByText("Two.").waitFor();
    await answered(page);
    const before = page.url();
    const first = page.locator("article.answer").first();
    await first.hover();
    await first.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Branch from here" }).click();
    await expect.poll(() => page.locator("article").count()).toBe(2);
    expect(page.url()).not.toBe(before);
    expect(problems).toEqual([]);
  });
});

/** Chooses "Save as PDF" for a conversation, and shows the page as it is on paper. */
async function printed(page: Page, title: string | RegExp): Promise<Locator> {
  await page.evaluate(() => {
    window.print = () => document.body.setAttribute("data-printed", "true");
  });
  const name = typeof title === "string" ? `More: ${title}` : title;
  await page.getByRole("button", { name }).first().click();
  await page.getByRole("menuitem", { name: "Save as PDF" }).click();
  await page.locator("body[data-printed]").waitFor();
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 794, height: 1123 });
  return page.locator(".print-view");
}

it("a PDF has the whole of a long conversation: code, wide tables and what was said first", async () => {
  const { page, problems } = await open();
  const cells = (text: string) => `|${` ${text} |`.repeat(12)}`;
  const wide = [cells("header"), `|${" --- |".repeat(12)}`, cells("a-wide-cell")].join("\n");
  const code = `\`\`\`js\n${"const aVeryLongLineOfCode = 1; ".repeat(20)}\n\`\`\``;
  const messages = Array.from({ length: 160 }, (_, index) => ({
    id: String(index),
    role: index % 2 === 0 ? "user" : "assistant",
    content: index === 159 ? `The end.\n\n${wide}\n\n${code}` : `message number ${index}.`,
  }));
  const imported = await fetch(`${stage.server.url}/sessions/import`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ format: "tackle.session", session: { title: "Long one" }, messages }),
  });
  const { sessions } = (await imported.json()) as { sessions: { id: string }[] };
  await page.goto(`${stage.server.url}/#/s/${sessions[0]?.id}`);
  await page.reload();
  await page.getByText("The end.").waitFor();
  const view = await printed(page, "Long one");
  expect(await view.getByText("message number 0.", { exact: true }).isVisible()).toBe(true);
  expect(await view.locator("article").count()).toBe(160);
  const clipped = await view.evaluate(
    (root) =>
      [...root.querySelectorAll("td, th, pre")].filter(
        (one) => one.getBoundingClientRect().right > innerWidth + 1,
      ).length,
  );
  expect(clipped).toBe(0);
  expect(await page.title()).toBe("Long one");
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await expect.poll(() => view.count()).toBe(0);
  // The browser's own shortcut prints the whole of it too.
  await page.evaluate(() => document.body.removeAttribute("data-printed"));
  await page.keyboard.press("Control+p");
  await page.locator("body[data-printed]").waitFor();
  expect(await view.locator("article").count()).toBe(160);
  expect(problems).toEqual([]);
});

it("a PDF shows artifacts as pictures, documents and code, and runs none of them", async () => {
  const { page, problems } = await openPage(stage.browser, stage.server.url, { colorScheme: "dark" });
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><circle cx="5" cy="5" r="4"/></svg>';
  const made = [
    { type: "svg", title: "Dot", code: drawing },
    { type: "mermaid", title: "Flow", code: "graph LR\n  A[Start] --> B[End]" },
    { type: "markdown", title: "Report", code: "# Findings\n\n| a | b |\n| - | - |\n| 1 | 2 |" },
    { type: "html", title: "Rows", code: `<h1>Rows</h1>\n${"<p>one of many rows</p>\n".repeat(150)}` },
  ];
  stage.play(
    chatTurn({ calls: made.map((one) => ({ name: "generate_artifact", arguments: one })) }),
    chatTurn({ text: "All four." }),
  );
  await say(page, "make them");
  await answered(page);
  const view = await printed(page, /^More: /);
  const artifact = (title: string) => view.locator(".printed-artifact", { hasText: title });
  expect(await view.locator(".printed-artifact > figcaption").allTextContents()).toEqual([
    "DotDrawing · version 1",
    "FlowDiagram · version 1",
    "ReportDocument · version 1",
    "RowsPage · version 1",
  ]);
  expect(await view.locator("iframe").count()).toBe(0);
  const sizeOf = (title: string) =>
    artifact(title)
      .getByRole("img", { name: title })
      .evaluate((one: HTMLImageElement) => [one.naturalWidth > 0, one.offsetHeight > 20, one.src]);
  expect(await sizeOf("Dot")).toEqual([true, true, expect.stringMatching(/^data:image\/svg\+xml;/)]);
  // In the colors of the light theme, on white paper.
  expect(await sizeOf("Flow")).toEqual([true, true, expect.stringContaining("%231e1d1a")]);
  expect(await artifact("Report").getByRole("heading", { name: "Findings" }).isVisible()).toBe(true);
  expect(await artifact("Report").getByRole("cell").allTextContents()).toEqual(["1", "2"]);
  const rows = artifact("Rows").locator("pre");
  expect((await rows.textContent())?.match(/one of many rows/g)).toHaveLength(150);
  const styles = await rows.evaluate((pre) => {
    const around = [pre, pre.closest("figure.code"), pre.closest(".printed-artifact")];
    return around.map((one) => one && getComputedStyle(one).breakInside);
  });
  expect(styles).toEqual(["auto", "auto", "auto"]);
  expect(problems).toEqual([]);
});
