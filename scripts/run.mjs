// Runs a program of this clone that needs the test packages: `node scripts/run.mjs bench/main.ts …`.
import { buildServer, install, run } from "./setup.mjs";

install("test");
// Programs that measure or break servers start what `npm start` starts.
const starts = /^(?:bench|faults)\//.test(process.argv[2]);
process.exit(run(process.argv.slice(2), starts ? { TACKLE_BUNDLE: buildServer() } : {}));
