// Runs a program of this clone that needs the test packages: `node scripts/run.mjs bench/main.ts …`.
import { install, run } from "./setup.mjs";

install("test");
process.exit(run(process.argv.slice(2)));
