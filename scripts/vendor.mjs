// Builds the modules that artifacts may import as browser files in `dist/vendor/`, with a manifest.
// One pass with code splitting, so that all modules share one React.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, "dist", "vendor");
const checks = join(root, "dist", "checks");
const require = createRequire(import.meta.url);

/** Packages without ES modules. Their exports must be listed. */
const COMMON_JS = ["react", "react-dom", "react-dom/client", "react/jsx-runtime"];
const MODULES = ["recharts", "lucide-react", "framer-motion", "radix-ui", "mermaid"];
/** Dependencies of these packages that models often import. */
const ALSO = ["d3", "lodash-es"].filter(isInstalled);
/** Our replacements for modules that artifacts expect in a project. */
const OWN = { "@/components/ui": join(root, "src", "tools", "artifacts", "vendored", "components.jsx") };

function isInstalled(name) {
  try {
    require.resolve(name);
    return true;
  } catch {
    return existsSync(join(root, "node_modules", name)); // The package is installed, but has no CommonJS entry.
  }
}

/** The separate Radix packages, which models know better than the combined one. */
function radixPackages() {
  const { dependencies } = JSON.parse(readFileSync(require.resolve("radix-ui/package.json"), "utf8"));
  return Object.keys(dependencies).filter((name) => name.startsWith("@radix-ui/react-"));
}

/** The inputs of the build. When they change, the files are built again. */
function wanted() {
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json")));
  for (const file of [fileURLToPath(import.meta.url), ...Object.values(OWN)]) hash.update(readFileSync(file));
  return hash.digest("hex");
}

/** Returns true if the files exist and match the installed packages. */
export function vendorIsFresh() {
  const manifest = join(target, "manifest.json");
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).madeFrom === wanted();
}

function entryText(name) {
  if (OWN[name]) return `export * from ${JSON.stringify(OWN[name])};`;
  if (!COMMON_JS.includes(name)) return `export * from ${JSON.stringify(name)};${defaultOf(name)}`;
  const names = Object.keys(require(name)).filter((key) => /^[A-Za-z]\w*$/.test(key) && key !== "default");
  return `export { ${names.join(", ")} } from "${name}"; export { default } from "${name}";`;
}

function defaultOf(name) {
  return name === "mermaid" || name === "lodash-es" ? ` export { default } from "${name}";` : "";
}

async function build() {
  const { build: bundle } = await import("esbuild");
  const names = [...COMMON_JS, ...MODULES, ...ALSO, ...Object.keys(OWN), ...radixPackages()];
  const entries = new Map(names.map((name) => [name.replace(/^@\/?/, "").replaceAll("/", "-"), name]));
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
    jsx: "automatic",
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
  await buildChecks(bundle, shared);
  writeFileSync(join(staging, "manifest.json"), JSON.stringify(manifestOf(result.metafile, entries)));
  rmSync(target, { recursive: true, force: true });
  renameSync(staging, target);
}

/** Builds mermaid's parsers for the server. They import a sanitizer that needs a page, so it is replaced. */
async function buildChecks(bundle, shared) {
  rmSync(checks, { recursive: true, force: true });
  await bundle({
    ...shared,
    stdin: {
      contents: `import mermaid from "mermaid"; export const parse = (text) => mermaid.parse(text);`,
      resolveDir: root,
    },
    outdir: checks,
    entryNames: "mermaid",
    outExtension: { ".js": ".mjs" },
    splitting: true,
    platform: "node",
    target: "node22",
    plugins: [
      {
        name: "no page",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^dompurify$/ }, () => ({ path: "dompurify", namespace: "no-page" }));
          onLoad({ filter: /.*/, namespace: "no-page" }, () => ({
            contents: `const same = (text) => text; export default { sanitize: same, addHook() {}, removeHook() {}, removeAllHooks() {}, setConfig() {}, clearConfig() {}, isSupported: true };`,
          }));
        },
      },
    ],
  });
}

/** Returns the file of each module, the files it loads, and its exported names. */
function manifestOf({ outputs }, entries) {
  const modules = {};
  for (const [path, output] of Object.entries(outputs)) {
    const entry = output.entryPoint?.replace(/^vendor:/, "");
    if (!entries.has(entry)) continue;
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
