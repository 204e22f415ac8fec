// Builds the modules that artifacts may import, once, as files that a browser loads: `dist/vendor/` and its manifest.
// One pass with splitting, so that everything shares one React.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, "dist", "vendor");
const require = createRequire(import.meta.url);

/** Packages without ES modules: what they export has to be spelled out. */
const COMMON_JS = ["react", "react-dom", "react-dom/client", "react/jsx-runtime"];
const MODULES = ["recharts", "lucide-react", "framer-motion", "radix-ui", "mermaid"];

/** The single Radix packages, by which models know them better than by the one that holds them all. */
function radixPackages() {
  const { dependencies } = JSON.parse(readFileSync(require.resolve("radix-ui/package.json"), "utf8"));
  return Object.keys(dependencies).filter((name) => name.startsWith("@radix-ui/react-"));
}

/** What the files are made from: when it changes, they are made again. */
function wanted() {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  return hash.update(readFileSync(fileURLToPath(import.meta.url))).digest("hex");
}

/** True when the files are there and belong to the packages that are installed. */
export function vendorIsFresh() {
  const manifest = join(target, "manifest.json");
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).madeFrom === wanted();
}

function entryText(name) {
  if (!COMMON_JS.includes(name)) return `export * from ${JSON.stringify(name)};${defaultOf(name)}`;
  const names = Object.keys(require(name)).filter((key) => /^[A-Za-z]\w*$/.test(key) && key !== "default");
  return `export { ${names.join(", ")} } from "${name}"; export { default } from "${name}";`;
}

function defaultOf(name) {
  return name === "mermaid" ? ` export { default } from "mermaid";` : "";
}

async function build() {
  const { build: bundle } = await import("esbuild");
  const names = [...COMMON_JS, ...MODULES, ...radixPackages()];
  const entries = new Map(names.map((name) => [name.replaceAll("@", "").replaceAll("/", "-"), name]));
  const staging = `${target}.${process.pid}`;
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  const shared = {
    bundle: true,
    format: "esm",
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"' },
  };
  const result = await bundle({
    ...shared,
    entryPoints: Object.fromEntries([...entries.keys()].map((file) => [file, `vendor:${file}`])),
    outdir: staging,
    splitting: true,
    target: "es2022",
    entryNames: "[name]-[hash]",
    chunkNames: "shared-[hash]",
    plugins: [
      {
        name: "entries",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^vendor:/ }, ({ path }) => ({ path: path.slice(7), namespace: "vendor" }));
          onLoad({ filter: /.*/, namespace: "vendor" }, ({ path }) => ({
            contents: entryText(entries.get(path)),
            resolveDir: root,
          }));
        },
      },
    ],
  });
  writeFileSync(join(staging, "manifest.json"), JSON.stringify(manifestOf(result.metafile, entries)));
  rmSync(target, { recursive: true, force: true });
  renameSync(staging, target);
}

/** Which file stands for which module, what that file loads besides, and the names that it offers. */
function manifestOf({ outputs }, entries) {
  const modules = {};
  for (const [path, output] of Object.entries(outputs)) {
    const entry = output.entryPoint?.replace(/^vendor:/, "");
    if (!entry) continue;
    modules[entries.get(entry)] = {
      file: basename(path),
      needs: neededBy(path, outputs).map((needed) => basename(needed)),
      exports: output.exports,
    };
  }
  return { madeFrom: wanted(), modules, files: Object.keys(outputs).map((path) => basename(path)) };
}

function neededBy(path, outputs, seen = new Set()) {
  for (const { path: inner, kind } of outputs[path].imports) {
    if (kind !== "import-statement" || seen.has(inner)) continue;
    seen.add(inner);
    neededBy(inner, outputs, seen);
  }
  return [...seen];
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !vendorIsFresh()) await build();
