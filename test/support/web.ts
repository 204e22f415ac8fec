import type { Browser, Page } from "playwright-core";
import type { Frame, Turn } from "../../src/sim/turn.ts";
import { errorTurn, jsonTurn } from "../../src/sim/turns.ts";
import { startUpstream, type Upstream } from "../../src/sim/upstream.ts";
import { buildWebApp, startBrowser } from "./browser.ts";
import { modelAt, type ServerProcess, startServer, temporaryFolder } from "./server.ts";

/** The web app with a model that says what a test wants, and a browser. */
export interface WebStage {
  browser: Browser;
  server: ServerProcess;
  upstream: Upstream;
  /** What the model says next. */
  play(...turns: Turn[]): void;
  close(): Promise<void>;
}

/** Starts all of it. */
export async function openStage(env: Record<string, string> = {}): Promise<WebStage> {
  buildWebApp();
  const folder = temporaryFolder();
  const turns: Turn[] = [];
  // The vendor is also asked for its models, and that is no turn.
  const respond = ({ method }: { method: string }) =>
    method === "GET" ? jsonTurn({ object: "list", data: [] }) : (turns.shift() ?? errorTurn(500));
  const upstream = await startUpstream({ respond });
  const server = await startServer(folder.path, { ...modelAt(upstream.url), ...env });
  const browser = await startBrowser();
  return {
    browser,
    server,
    upstream,
    play: (...next) => void turns.push(...next),
    async close() {
      await browser.close();
      await server.stop();
      await upstream.close();
      folder.remove();
    },
  };
}

/** An answer whose second half waits until the test lets it go. */
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

/** What is inside of the artifact's frame. */
export function artifactIn(page: Page) {
  return page.frameLocator(".artifact-panel iframe");
}
