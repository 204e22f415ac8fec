import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Frame, Page } from "playwright-core";
import type { Shown } from "../frame/content.ts";
import { type FramePage, framePage, lonePage } from "../frame/page.ts";
import { frameHeaders } from "../frame/policy.ts";
import { readVendorFile } from "../vendor.ts";
import { startBrowser } from "./chromium.ts";

/** Shows artifacts as the product does: in a frame of a page that may frame nothing else. */
export interface Gallery {
  origin: string;
  browser: Browser;
  /** Opens an artifact in its own page and waits until it has painted or failed. */
  open(artifact: Shown, options?: { alone?: boolean; patienceMs?: number }): Promise<Exhibit>;
  close(): Promise<void>;
}

export interface Exhibit {
  page: Page;
  frame: Frame;
  /** The messages that the frame sent to the page around it. */
  messages(): Promise<{ tackle: string; type: string; message?: string; text?: string }[]>;
  close(): Promise<void>;
}

const PARENT = (origin: string) => ({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; script-src 'unsafe-inline'; frame-src ${origin}/artifacts/`,
});
const PAGE_AROUND = `<!doctype html><title>app</title><script>
window.heard = [];
window.secret = "of the app";
addEventListener("message", ({ data, source }) => { if (source === document.querySelector("iframe")?.contentWindow) heard.push(data); });
window.show = (address) => {
  const frame = document.createElement("iframe");
  frame.name = "frame-1";
  frame.sandbox.add("allow-scripts");
  frame.width = 800; frame.height = 600;
  frame.src = address;
  heard.length = 0;
  document.body.replaceChildren(frame);
};
</script><body></body>`;

/** Starts a browser and a server that stands in for ours. */
export async function openGallery(): Promise<Gallery> {
  const pages = new Map<string, FramePage>();
  let origin = "";
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    const file = path.startsWith("/vendor/") ? readVendorFile(path.slice("/vendor/".length)) : undefined;
    const page = pages.get(path);
    if (file) {
      response.writeHead(200, {
        "content-type": "text/javascript",
        "access-control-allow-origin": "*",
        "cache-control": "public, max-age=31536000, immutable",
      });
      response.end(file);
    } else if (page) {
      response.writeHead(200, page.headers);
      response.end(page.body);
    } else if (path === "/uncontained") {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<!doctype html><title>anything goes</title>");
    } else if (path === "/") {
      response.writeHead(200, PARENT(origin));
      response.end(PAGE_AROUND);
    } else {
      response.writeHead(404, frameHeaders({ origin }));
      response.end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await startBrowser();
  const context = await browser.newContext();
  let count = 0;
  const free: Page[] = [];
  const freeAlone: Page[] = [];

  return {
    origin,
    browser,
    async open(artifact, { alone = false, patienceMs = 15_000 } = {}) {
      const path = `/artifacts/${++count}/preview`;
      pages.set(path, await framePage(artifact, origin));
      pages.set(`${path}/alone`, lonePage(path, artifact.title, origin));
      const used = alone ? freeAlone.pop() : free.pop();
      const page = used ?? (await context.newPage());
      if (alone) await page.goto(`${origin}${path}/alone`);
      else {
        if (!used) await page.goto(origin);
        await page.evaluate(
          (address) => (window as unknown as { show(address: string): void }).show(address),
          path,
        );
      }
      const frame = await frameOf(page);
      const messages = () => page.evaluate(() => (window as unknown as { heard?: [] }).heard ?? []);
      if (!alone) await settled(page, frame, artifact, patienceMs);
      // An artifact may have navigated the page, so the page is not used again.
      const close = async () => {
        const home = alone ? `${origin}${path}/alone` : `${origin}/`;
        if (page.url() !== home) await page.close();
        else (alone ? freeAlone : free).push(page);
      };
      return { page, frame, messages, close };
    },
    async close() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function frameOf(page: Page): Promise<Frame> {
  const element = await page.waitForSelector("iframe");
  const frame = await element.contentFrame();
  if (!frame) throw new Error("the frame is not there");
  return frame;
}

/** Waits until the frame reports that it has painted or failed. Pages without scripts report nothing. */
async function settled(page: Page, frame: Frame, { type }: Shown, timeout: number): Promise<void> {
  if (type === "svg" || type === "markdown" || type === "code") {
    await frame.waitForLoadState("load");
    return;
  }
  await page
    .waitForFunction(
      () =>
        (window as unknown as { heard: { type: string }[] }).heard.some(
          ({ type: kind }) => kind === "ready" || kind === "error",
        ),
      undefined,
      { timeout, polling: 20 },
    )
    .catch(() => undefined); // The assertions about the visible text give a better message.
}

/** The text that a person can read in the frame; for a drawing, whether it is visible at all. */
export async function visibleText(frame: Frame, { type }: Shown): Promise<string> {
  if (type === "svg")
    return frame.evaluate(async () => {
      const image = document.querySelector("img");
      await image?.decode();
      return image && image.naturalWidth > 0 ? "" : "nothing is drawn";
    });
  return frame.evaluate(() => document.body.innerText.replace(/\s+/g, " "));
}

/** Runs work on all items, a limited number at a time. */
export async function inParallel<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const pending = [...items];
  const worker = async () => {
    for (let item = pending.shift(); item !== undefined; item = pending.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
