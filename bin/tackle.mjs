#!/usr/bin/env -S MALLOC_ARENA_MAX=1 node --min-semi-space-size=4 --max-semi-space-size=8 --heap-growing-percent=100
// The line above is the only place with flags. The npm package, deploy/Dockerfile and deploy/tackle.service run this file, and
// `npm start` reads the line. `npm run bench -- flags` measures each flag; one that earns less than 3 % goes.
// Memory of a server that streams, median of 11 rounds (two runs of the same differ by 3 %), × with all of them:
//   --max-semi-space-size=8      294 MB without it, × 1.35
//   --heap-growing-percent=100   296 MB without it, × 1.09
//   MALLOC_ARENA_MAX=1           234 MB without it, × 1.07
// A token in a burst also takes 0.90 of the CPU with 100 as without it, and 0.84 of that with 30, which holds no less memory.
// CPU from the start to the first answer, median of 20 rounds, 635 ms with all of them on a busy machine; memory when idle stays the same:
//   --min-semi-space-size=4     682 ms without it, × 1.07
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`tackle: Node 22.19 or later is needed, this is ${process.versions.node}.\n`);
  process.exit(1);
}
// Starts twice as fast and 30 MB smaller from the second time on; not in the shared temporary folder, where anybody
// could leave code for us.
module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/tackle", import.meta.url)));
// A clone runs its sources; the published package has what was built from them, and no sources.
const source = new URL("../src/cli.ts", import.meta.url);
await import(existsSync(source) ? source.href : "../dist/cli.js");
