// `npm run tackle -- …`: the command of this clone.
import { join } from "node:path";
import { become, install, root } from "./setup.mjs";

install();
process.chdir(process.env.INIT_CWD ?? process.cwd());
become([join(root, "src/cli.ts"), ...process.argv.slice(2)]);
