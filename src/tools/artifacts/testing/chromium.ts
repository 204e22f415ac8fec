import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium } from "playwright-core";

/** The build without a window costs two fifths of the CPU time of the other. */
const PROGRAMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  // Nothing is drawn by a GPU here. What would draw with it costs a tenth of the CPU time in a process of its own.
  "--in-process-gpu",
  "--disable-background-networking",
  "--disable-dev-shm-usage",
  // As in a browser with a window: a frame with a sandbox has a process of its own.
  "--site-per-process",
];

/** Returns true if browser tests can run. In CI they must run. */
export function hasBrowser(): boolean {
  if (chromiumPath() !== undefined || process.env.CI) return true;
  console.log("skipped: Chromium is not installed, so browser tests can't run");
  return false;
}

/** Starts Chromium: the one that CHROMIUM_PATH names, or the lightest one that is installed. */
export function startBrowser(...more: string[]): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), args: [...ARGUMENTS, ...more] });
}

/** Starts Chromium with a profile that stays in this folder. */
export function startWithProfile(folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, {
    executablePath: chromiumPath(),
    args: ARGUMENTS,
    locale: "en",
  });
}

function chromiumPath(): string | undefined {
  return process.env.CHROMIUM_PATH ?? PROGRAMS.find((path) => existsSync(path));
}
