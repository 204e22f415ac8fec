// `npm run build` builds the published package in dist/: JavaScript, types, the web app and its modules.
import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildVendor, buildWeb, install, root, run, say } from "./setup.mjs";

/** Built by other scripts, each with its own freshness check. */
const KEPT = new Set(["web", "web.stamp", "vendor", "checks"]);
/** Files that the program reads at run time. The compiler does not copy them. */
const DATA = [
  "contain/command/become-user.py",
  "contain/command/landlock-helper.py",
  "sim/demo/artifacts/samples",
  "tools/artifacts/frame/browser",
];
const dist = join(root, "dist");

install("test");
buildVendor();
buildWeb();
say("build: compiling …");
for (const name of existsSync(dist) ? readdirSync(dist) : [])
  if (!KEPT.has(name)) rmSync(join(dist, name), { recursive: true });
for (const path of DATA) cpSync(join(root, "src", path), join(dist, path), { recursive: true });
process.exit(run([join(root, "node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.build.json"]));
