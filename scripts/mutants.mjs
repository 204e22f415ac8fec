// `npm run mutants`: changes the code in small ways ("mutants") and checks that a unit test fails for each. Options:
// --only=guard (loop, guard, runs, journal), --seed=N, --sample=N, --all, --patience=4 (multiplies all time limits, for a busy machine).
import { join } from "node:path";
import { install, root, run } from "./setup.mjs";

install("mutants");
process.exit(run([join(root, "test", "mutants", "main.mjs"), ...process.argv.slice(2)]));
