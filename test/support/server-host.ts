// Serves the servers of many tests in one process, so that the product is loaded and compiled once. `hosted-server.ts` starts it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config, ConfigSources } from "../../src/app/config.ts";
import type { Serving } from "../../src/app/serve.ts";

/** What the host is asked, with a number that its answer repeats. */
export type HostRequest =
  | { number: number; start: { dataDir: string; env: Record<string, string> } }
  | { number: number; stop: number };

export type HostAnswer =
  | { number: number; url: string; setUpToken: string | undefined }
  | { number: number; stopped: true }
  | { number: number; problem: string };

interface Product {
  loadConfig(sources: ConfigSources): Config;
  serve(config: Config): Promise<Serving>;
}

const home = mkdtempSync(join(tmpdir(), "tackle-test-"));
process.env.HOME = home;
const [library = ""] = process.argv.slice(2);
const { loadConfig, serve }: Product = await import(library);
/** What runs, by the number of the request that started it. */
const running = new Map<number, Serving>();

async function answer(request: HostRequest): Promise<HostAnswer> {
  const { number } = request;
  if ("start" in request) {
    const { dataDir, env } = request.start;
    const overrides = { data: dataDir, port: "0" };
    const serving = await serve(loadConfig({ env, overrides, cwd: process.cwd() }));
    running.set(number, serving);
    return { number, url: serving.url, setUpToken: serving.setUpToken };
  }
  await running.get(request.stop)?.close();
  running.delete(request.stop);
  return { number, stopped: true };
}

process.on("message", (request: HostRequest) => {
  answer(request)
    .catch(
      (thrown: Error): HostAnswer => ({ number: request.number, problem: thrown.stack ?? thrown.message }),
    )
    .then((answered) => process.send?.(answered));
});
process.on("disconnect", () => {
  rmSync(home, { recursive: true, force: true });
  process.exit(0);
});
