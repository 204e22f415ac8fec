// Builds the web app into `dist/web/`. It loads nothing from other servers.
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { takeLock } from "./alone.mjs";
import { writeIcons } from "./icons.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, "dist", "web");
const stamp = join(root, "dist", "web.stamp");
/** The pages, by bundle. Readers of shared conversations get none of the app. */
const BUNDLES = [["index", "sign-in"], ["shared"]];

/** The inputs of the build. When they change, the app is built again. */
function wanted() {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  for (const script of ["web.mjs", "icons.mjs"]) hash.update(readFileSync(join(root, "scripts", script)));
  for (const room of ["web", "client", "protocol"]) {
    const folder = join(root, "src", room);
    for (const file of readdirSync(folder, { recursive: true }).sort()) {
      if (/\.(tsx?|css|html|svg|webmanifest)$/.test(file) && !/\.test\.tsx?$/.test(file))
        hash.update(file).update(readFileSync(join(folder, file)));
    }
  }
  return hash.digest("hex");
}

/** Returns true if the built app exists and matches the sources. */
export function webIsFresh() {
  return (
    existsSync(join(target, "index.html")) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted()
  );
}

async function build() {
  // A test runner sets another one, and Vite would then build React for development.
  process.env.NODE_ENV = "production";
  const { build: bundle } = await import("vite");
  const { default: react } = await import("@vitejs/plugin-react");
  const staging = `${target}.${process.pid}`;
  const madeFrom = wanted();
  for (const [index, pages] of BUNDLES.entries()) {
    const chunks = firstLoadChunks();
    await bundle({
      root: join(root, "src", "web"),
      configFile: false,
      envDir: false,
      logLevel: "warn",
      plugins: [react(), chunks.plugin],
      publicDir: false,
      worker: { format: "es" },
      build: {
        outDir: staging,
        emptyOutDir: index === 0,
        target: "es2022",
        // Inlined code would need a content security policy that allows it.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        chunkSizeWarningLimit: 2_000,
        rolldownOptions: {
          // On a slow machine, the first start would print advice about plugins.
          checks: { bundlerTimings: false },
          input: pages.map((page) => join(root, "src", "web", `${page}.html`)),
          output: { codeSplitting: { groups: chunks.groups } },
        },
      },
    });
  }
  await makeInstallable(bundle, staging);
  put(staging);
  writeFileSync(stamp, madeFrom);
  process.stderr.write(`web: first load ${firstLoadKilobytes().toFixed(1)} kB of JavaScript (gzip)\n`);
}

/**
 * Puts everything of the first load into one file, and what the page to sign in shares with it into another. The bundler would
 * make a file of whatever a part that loads later uses, too: 21 files, which compress to 161 kB instead of 155.
 */
function firstLoadChunks() {
  let app = new Set();
  let signIn = new Set();
  return {
    plugin: {
      name: "first-load-chunks",
      buildEnd() {
        app = importedBy(this, "index.html");
        signIn = importedBy(this, "sign-in.html");
      },
    },
    groups: [
      { name: "base", priority: 2, test: (id) => app.has(id) && signIn.has(id) },
      // The page's own script stays apart, so that it is the one that the page names.
      { name: "app", priority: 1, test: (id) => app.has(id) && !/\/(?:index\.html|main\.tsx)/.test(id) },
    ],
  };
}

/** Returns the modules that a page loads at once. */
function importedBy(bundler, page) {
  const found = new Set();
  const visit = (id) => {
    if (found.has(id)) return;
    found.add(id);
    for (const imported of bundler.getModuleInfo(id)?.importedIds ?? []) visit(imported);
  };
  for (const id of bundler.getModuleIds()) if (id.endsWith(`/${page}`)) visit(id);
  return found;
}

/** Puts the built app in place: whoever reads it meets the old files or the new ones. */
function put(staging) {
  const old = `${staging}.old`;
  if (existsSync(target)) renameSync(target, old);
  renameSync(staging, target);
  rmSync(old, { recursive: true, force: true });
}

/** Adds the manifest, the icons, and the service worker, which knows the files of the first load. */
async function makeInstallable(bundle, folder) {
  const source = join(root, "src", "web", "installed");
  copyFileSync(join(source, "manifest.webmanifest"), join(folder, "manifest.webmanifest"));
  writeIcons(join(folder, "icons"));
  const page = readFileSync(join(folder, "index.html"), "utf8");
  const named = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file);
  const files = [...new Set([...named, "/manifest.webmanifest"])];
  const script = /<script[^>]*src="([^"]+)"/.exec(page)?.[1];
  const shell = {
    version: createHash("sha256").update(page).digest("hex").slice(0, 16),
    files: [script, ...files.filter((file) => file !== script)],
  };
  await bundle({
    root: source,
    configFile: false,
    envDir: false,
    logLevel: "warn",
    publicDir: false,
    define: { SHELL: JSON.stringify(shell) },
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: "es2022",
      lib: {
        entry: join(source, "service-worker.ts"),
        formats: ["iife"],
        name: "worker",
        fileName: () => "sw.js",
      },
    },
  });
}

/** Returns what the page loads before any interaction. */
function firstLoadKilobytes() {
  const page = readFileSync(join(target, "index.html"), "utf8");
  const files = [...page.matchAll(/(?:src|href)="\/?([^"]+\.js)"/g)].map(([, file]) => file);
  const bytes = files.map((file) => gzipSync(readFileSync(join(target, file)), { level: 9 }).length);
  return bytes.reduce((sum, size) => sum + size, 0) / 1000;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isForced = process.argv.includes("--force");
  if (isForced || !webIsFresh()) {
    const release = takeLock(`${target}.lock`);
    // Another process may have built the same meanwhile.
    if (isForced || !webIsFresh()) await build().finally(release);
    else release();
  }
}
