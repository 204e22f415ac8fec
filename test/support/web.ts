import type { Browser, Page } from "playwright-core";
import { startUpstream } from "../../src/sim/testing/upstream.ts";
import type { Frame, Turn } from "../../src/sim/turn.ts";
import { errorTurn, jsonTurn } from "../../src/sim/turns.ts";
import type { Upstream } from "../../src/sim/upstream.ts";
import { startBrowser } from "../../src/tools/artifacts/testing/chromium.ts";
import { buildWebApp } from "./browser.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./server.ts";
import { undoIfFailed } from "./tries.ts";

/** The web app with a scripted model, and a browser. */
export interface WebStage {
  browser: Browser;
  server: ServerProcess;
  upstream: Upstream;
  /** Queues the model's next turns. */
  play(...turns: Turn[]): void;
  close(): Promise<void>;
}

/** Starts the server, the model and the browser. */
export async function openStage(env: Record<string, string> = {}): Promise<WebStage> {
  buildWebApp();
  const folder = temporaryFolder();
  const turns: Turn[] = [];
  // A request for the list of models is not a turn.
  const respond = ({ method }: { method: string }) =>
    method === "GET" ? jsonTurn({ object: "list", data: [] }) : (turns.shift() ?? errorTurn(500));
  const upstream = await startUpstream({ respond });
  const server = await startServer(folder.path, { ...modelAt(upstream.url), ...env });
  const browser = await startBrowser();
  return {
    browser,
    server,
    upstream,
    play(...next) {
      turns.push(...next);
      // Another try would be given what is left of them.
      undoIfFailed(() => turns.splice(0));
    },
    async close() {
      await browser.close();
      await server.stop();
      await upstream.close();
      folder.remove();
    },
  };
}

/** Returns an answer whose second half waits until the test releases it. */
export function heldTurn(first: string, second: string): { turn: Turn; release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const chunk = (delta: object, finish_reason: string | null = null): Frame => ({
    json: {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    },
  });
  const frames: Frame[] = [
    ...(first === "" ? [] : [chunk({ role: "assistant", content: first })]),
    { hold: promise },
    chunk({ content: second }),
    chunk({}, "stop"),
    "data: [DONE]\n\n",
  ];
  return { turn: { frames }, release: resolve };
}

/** Returns the content of the artifact's frame. */
export function artifactIn(page: Page) {
  return page.frameLocator(".artifact-panel iframe");
}

/** Chooses an entry of a menu in the bar of the artifact's panel. */
export async function inPanelMenu(page: Page, menu: string, entry: string | RegExp): Promise<void> {
  await page.locator(".panel-bar").getByRole("button", { name: menu, exact: true }).click();
  await page.locator("[role=menu] [data-entry]", { hasText: entry }).first().click();
}
