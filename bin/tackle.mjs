#!/usr/bin/env -S MALLOC_ARENA_MAX=1 node --v8-pool-size=0 --max-semi-space-size=8 --no-allocation-site-pretenuring --initial-old-space-size=40 --heap-growing-percent=30
// These keep the memory of a server flat: left alone, the collector and the allocator let it grow to twice what is in use. And
// the collector gets as many threads as there are cores to spare: more of them take the time of the one that serves.
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
