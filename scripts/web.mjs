// Builds the web app into `dist/web/`: everything in it comes from this clone, nothing is loaded from elsewhere.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, "dist", "web");
const stamp = join(root, "dist", "web.stamp");
/** Kilobytes of JavaScript, compressed, that a first visit may load. */
const FIRST_LOAD_KB = 320;

/** What the app is made from: when any of it changes, it is built again. */
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

/** True when the built app is there and belongs to the sources as they are. */
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
      emptyOutDir: true,
      target: "es2022",
      // Inlined pieces would need a policy that allows them.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 2_000,
    },
  });
  rmSync(target, { recursive: true, force: true });
  renameSync(staging, target);
  writeFileSync(stamp, madeFrom);
  const firstLoad = firstLoadKilobytes();
  process.stdout.write(`web: first load ${firstLoad.toFixed(1)} KB of JavaScript (gzip)\n`);
  if (firstLoad > FIRST_LOAD_KB) throw new Error(`the first load is over ${FIRST_LOAD_KB} KB`);
}

/** What the page itself asks for, before anybody does anything. */
function firstLoadKilobytes() {
  const page = readFileSync(join(target, "index.html"), "utf8");
  const files = [...page.matchAll(/(?:src|href)="\/?([^"]+\.js)"/g)].map(([, file]) => file);
  const bytes = files.map((file) => gzipSync(readFileSync(join(target, file)), { level: 9 }).length);
  return bytes.reduce((sum, size) => sum + size, 0) / 1024;
}

if (process.argv[1] === fileURLToPath(import.meta.url) && (!webIsFresh() || process.argv.includes("--force")))
  await build();
