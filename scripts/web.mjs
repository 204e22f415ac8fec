// Builds the web app into `dist/web/`. It loads nothing from other servers.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, "dist", "web");
const stamp = join(root, "dist", "web.stamp");
/** The pages, by bundle. Readers of shared conversations get none of the app. */
const BUNDLES = [["index", "sign-in"], ["shared"]];
/** The limit for compressed JavaScript on a first visit, in kilobytes. */
const FIRST_LOAD_KB = 320;

/** The inputs of the build. When they change, the app is built again. */
function wanted() {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  hash.update(readFileSync(fileURLToPath(import.meta.url)));
  for (const room of ["web", "client", "protocol"]) {
    const folder = join(root, "src", room);
    for (const file of readdirSync(folder, { recursive: true }).sort()) {
      if (/\.(tsx?|css|html|svg)$/.test(file) && !/\.test\.tsx?$/.test(file))
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
  const { build: bundle } = await import("vite");
  const { default: react } = await import("@vitejs/plugin-react");
  const staging = `${target}.${process.pid}`;
  const madeFrom = wanted();
  for (const [index, pages] of BUNDLES.entries()) {
    await bundle({
      root: join(root, "src", "web"),
      configFile: false,
      envDir: false,
      logLevel: "warn",
      plugins: [react()],
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
        rolldownOptions: { input: pages.map((page) => join(root, "src", "web", `${page}.html`)) },
      },
    });
  }
  rmSync(target, { recursive: true, force: true });
  renameSync(staging, target);
  writeFileSync(stamp, madeFrom);
  const firstLoad = firstLoadKilobytes();
  process.stderr.write(`web: first load ${firstLoad.toFixed(1)} KB of JavaScript (gzip)\n`);
  if (firstLoad > FIRST_LOAD_KB) throw new Error(`the first load is over ${FIRST_LOAD_KB} KB`);
}

/** Returns what the page loads before any interaction. */
function firstLoadKilobytes() {
  const page = readFileSync(join(target, "index.html"), "utf8");
  const files = [...page.matchAll(/(?:src|href)="\/?([^"]+\.js)"/g)].map(([, file]) => file);
  const bytes = files.map((file) => gzipSync(readFileSync(join(target, file)), { level: 9 }).length);
  return bytes.reduce((sum, size) => sum + size, 0) / 1024;
}

if (process.argv[1] === fileURLToPath(import.meta.url) && (!webIsFresh() || process.argv.includes("--force")))
  await build();
