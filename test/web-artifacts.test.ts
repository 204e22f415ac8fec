import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatTurn } from "../src/sim/turns.ts";
import { hasBrowser } from "../src/tools/artifacts/testing/chromium.ts";
import { answered, expectAccessible, openPage, say } from "./support/browser.ts";
import { artifactIn, inPanelMenu, openStage, type WebStage } from "./support/web.ts";

const WIDE = { viewport: { width: 1440, height: 900 } };
const HELLO = 'export default function Hello() {\n  return <h1 className="text-2xl">Hello there</h1>;\n}\n';
let stage: WebStage;

/** A page on which the model has just made this artifact. */
async function pageWith(type: string, code: string, options = {}) {
  const opened = await openPage(stage.browser, stage.server.url, { ...WIDE, ...options });
  const call = { name: "generate_artifact", arguments: { type, code, title: "My thing" } };
  stage.play(chatTurn({ calls: [call] }), chatTurn({ text: "There it is." }));
  await say(opened.page, "make it");
  await answered(opened.page);
  return opened;
}

async function retype(page: Page, code: string): Promise<void> {
  await page.getByRole("tab", { name: "Code" }).click();
  await page.getByRole("textbox", { name: "Code" }).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(code);
  await page.getByRole("button", { name: "Save as version 2" }).click();
}

describe.skipIf(!hasBrowser())("artifacts in the web app", () => {
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.close());

  it("says when an artifact stops responding, and stops it while the page keeps working", async () => {
    const { page, context } = await pageWith("react", HELLO);
    await artifactIn(page).getByText("Hello there").waitFor();
    await retype(page, "export default function Endless() { while (true) {} }");
    await page.getByRole("tab", { name: "Preview" }).click();
    const alert = page.locator(".artifact-panel").getByRole("alert");
    await alert.getByText("isn’t responding").waitFor({ timeout: 20_000 });
    await page.getByRole("textbox", { name: "Message" }).fill("still here");
    await expectAccessible(page);
    await alert.getByRole("button", { name: "Stop" }).click();
    expect(await page.locator(".artifact-panel iframe").count()).toBe(0);
    expect(await alert.count()).toBe(0);
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("still here");
    await inPanelMenu(page, "Version 2", "Version 1");
    await artifactIn(page).getByText("Hello there").waitFor();
    await context.close();
  });

  it("shows what changed between versions, and restores an old version", async () => {
    const { page, context } = await pageWith("react", HELLO);
    await retype(page, HELLO.replace("Hello there", "Goodbye"));
    await page.getByRole("tab", { name: "Compare" }).click();
    await page.locator(".diff-added", { hasText: "Goodbye" }).waitFor();
    expect(await page.locator(".diff-removed").last().textContent()).toContain("Hello there");
    expect(await page.locator(".counts").textContent()).toBe("+1 −1");
    expect(await page.locator(".diff-added mark").textContent()).toBe("Goodbye");
    // Old and new stand side by side where there is room.
    expect(await page.locator(".diff-sides").count()).toBe(0);
    await inPanelMenu(page, "More", "Full screen");
    const changed = page.locator(".diff-sides", { has: page.locator(".diff-added") });
    expect(await changed.locator("> .diff-removed mark").textContent()).toBe("Hello there");
    expect(await changed.locator("> .diff-added mark").textContent()).toBe("Goodbye");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".diff-sides").count()).toBe(0);
    await inPanelMenu(page, "Version 2", "Version 1");
    await inPanelMenu(page, "Version 1", "Restore this version");
    await page.getByText("Saved as version 3.").waitFor();
    await page.getByRole("button", { name: "Version 3", exact: true }).waitFor();
    await page.getByRole("tab", { name: "Preview" }).click();
    await artifactIn(page).getByText("Hello there").waitFor();
    await context.close();
  });

  it("copies, downloads, fills the screen, and opens in a new tab", async () => {
    const { page, context } = await pageWith("react", HELLO, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const panel = page.locator(".artifact-panel");
    await inPanelMenu(page, "More", "Copy code");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("Hello there");
    const [saved] = await Promise.all([page.waitForEvent("download"), inPanelMenu(page, "More", "Download")]);
    expect(saved.suggestedFilename()).toBe("my-thing.tsx");
    expect(readFileSync(await saved.path(), "utf8")).toContain("Hello there");

    await inPanelMenu(page, "More", "Full screen");
    expect(await panel.boundingBox()).toEqual({ x: 0, y: 0, width: 1440, height: 900 });
    await page.keyboard.press("Escape");
    expect(await panel.getAttribute("data-full")).toBe("false");

    const [alone] = await Promise.all([
      context.waitForEvent("page"),
      inPanelMenu(page, "More", "Open in a new tab"),
    ]);
    expect(new URL(alone.url()).pathname).toMatch(/^\/artifacts\/[^/]+\/view$/);
    await alone.frameLocator("iframe").getByText("Hello there").waitFor();
    expect(await alone.evaluate(() => window.opener)).toBe(null);

    await panel.getByRole("button", { name: "Close" }).click();
    expect(await page.evaluate(() => document.activeElement?.className)).toBe("artifact-card");
    await context.close();
  });

  it("shares one version by a link that needs no account", async () => {
    const { page, context } = await pageWith("react", HELLO, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await retype(page, HELLO.replace("Hello there", "Goodbye"));
    await inPanelMenu(page, "Version 2", "Version 1");
    await inPanelMenu(page, "More", "Share");
    const dialog = page.getByRole("dialog", { name: "Share version 1" });
    await dialog.getByText("this version of “My thing”").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Copy link" }).click();
    await dialog.getByRole("button", { name: "Copied" }).waitFor();
    const url = await page.evaluate(() => navigator.clipboard.readText());
    const reader = await openPage(stage.browser, url);
    await reader.page.frameLocator("iframe").getByText("Hello there").waitFor();
    // The key of one version opens no other.
    const other = await fetch(url.replace("version=1", "version=2"));
    expect(other.status).toBe(404);
    await reader.context.close();
    // Closing the dialog leaves the panel open and returns the focus.
    await page.keyboard.press("Escape");
    await expect.poll(() => dialog.count()).toBe(0);
    await inPanelMenu(page, "More", "Full screen");
    const share = page.locator(".panel-bar").getByRole("button", { name: "Share", exact: true });
    await share.click();
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(await share.evaluate((element) => element === document.activeElement)).toBe(true);
    await context.close();
  });

  it("lets the person point at a part, and quotes it in the next message", async () => {
    const { page, context, problems } = await pageWith(
      "html",
      `<h1>A page</h1><button id="b">Save</button><p>Empty</p><script>
        b.onclick = () => { b.textContent = "Pressed"; };
        parent.postMessage({ tackle: "", type: "picked", html: "<b>forged</b>" }, "*");
      </script>`,
    );
    const frame = artifactIn(page);
    const button = frame.locator("#b");
    await button.waitFor();
    const point = () => inPanelMenu(page, "More", "Choose a part to change");
    const chip = page.locator("[data-part=chosen-part]");

    await point();
    const hint = page.getByText("Click a part to change it");
    await hint.waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect.poll(() => hint.count()).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("More");
    expect(await chip.count()).toBe(0);

    await point();
    await button.hover();
    const [mark, marked] = [await frame.locator("html > div").boundingBox(), await button.boundingBox()];
    expect(mark?.x).toBeCloseTo((marked?.x ?? 0) - 2, 0);
    expect(mark?.width).toBeCloseTo((marked?.width ?? 0) + 4, 0);
    await button.click();
    await chip.getByText("Change this part: Save").waitFor();
    expect(await button.textContent()).toBe("Save");
    expect(await frame.locator("html > div").count()).toBe(0);
    await expectAccessible(page);
    await chip.getByRole("button").click();
    expect(await chip.count()).toBe(0);

    await point();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await chip.getByText("Change this part: Save").waitFor();
    stage.play(chatTurn({ text: "Green it is." }));
    await page.keyboard.type("Make it green");
    await page.keyboard.press("Enter");
    await page.getByText("Green it is.").waitFor();
    expect(await chip.count()).toBe(0);
    const asked = JSON.stringify(stage.upstream.requests.at(-1)?.body);
    expect(asked).toContain("Make it green");
    expect(asked).toContain(JSON.stringify('```html\n<button id="b">Save</button>\n```').slice(1, -1));
    expect(asked).toContain("a part of the artifact “My thing”");
    await button.click();
    expect(await button.textContent()).toBe("Pressed");
    expect(problems).toEqual([]);
    await context.close();
  });

  it("draws a flowchart without an error in the console", async () => {
    const { page, context, problems } = await pageWith("mermaid", "flowchart LR\n  A[Ask] --> B[Answer]");
    await artifactIn(page).getByText("Answer").waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it("says where a link leads and that a form is not sent, instead of following or sending it", async () => {
    const { page, context } = await pageWith(
      "html",
      '<h1>A page</h1><a href="https://example.com/there">out</a><form action="https://example.com/form"><input name="a"><button>Send it</button></form>',
    );
    await artifactIn(page).getByText("out").click();
    const blocked = page.locator(".frame-request");
    await blocked.getByText("https://example.com/there").waitFor();
    const link = blocked.getByRole("link", { name: "Open link" });
    expect(await link.getAttribute("href")).toBe("https://example.com/there");
    expect(await link.getAttribute("rel")).toContain("noreferrer");
    await artifactIn(page).getByRole("button", { name: "Send it" }).click();
    await blocked.getByText("Artifacts can’t send forms").waitFor();
    await expectAccessible(page);
    await blocked.getByRole("button", { name: "Close" }).click();
    expect(await blocked.count()).toBe(0);
    await artifactIn(page).getByRole("heading", { name: "A page" }).waitFor();
    await context.close();
  });

  it("shows its console, and sends an error to the model to fix", async () => {
    const { page, context } = await pageWith(
      "react",
      'export default function Fragile() {\n  return <button onClick={() => { console.error("half way"); throw new Error("it fell over"); }}>Press</button>;\n}\n',
    );
    await artifactIn(page).getByRole("button", { name: "Press" }).click();
    const alert = page.locator(".artifact-panel").getByRole("alert");
    await alert.getByText("it fell over").waitFor();
    await alert.getByRole("button", { name: "Details" }).click();
    await page.locator(".console [data-level=error]", { hasText: "half way" }).waitFor();
    stage.play(chatTurn({ text: "Mended." }));
    await alert.getByRole("button", { name: "Fix" }).click();
    await page.getByText("Mended.").waitFor();
    const asked = JSON.stringify(stage.upstream.requests.at(-1)?.body);
    expect(asked).toContain("it fell over");
    expect(asked).toContain("half way");
    await context.close();
  });

  it("moves through its tabs with the arrow keys, and returns the focus when it is closed", async () => {
    const { page, context } = await pageWith("react", HELLO);
    const tab = (name: string) => page.getByRole("tab", { name });
    await tab("Preview").focus();
    await page.keyboard.press("ArrowRight");
    expect(await tab("Code").getAttribute("aria-selected")).toBe("true");
    expect(await tab("Code").evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("End");
    expect(await tab("Compare").getAttribute("aria-selected")).toBe("true");
    await page.getByRole("tabpanel", { name: "Compare" }).getByText("There’s only one version").waitFor();
    await page.keyboard.press("ArrowRight");
    expect(await tab("Preview").getAttribute("aria-selected")).toBe("true");
    expect(
      await page.getByRole("tab").evaluateAll((all) => all.map((one) => (one as HTMLElement).tabIndex)),
    ).toEqual([0, -1, -1]);
    await context.close();
  });
});
