// `npm start`: from a fresh clone to a running server.
import { join } from "node:path";
import { become, install, root } from "./setup.mjs";

install();
become([join(root, "src/cli.ts"), "serve", ...process.argv.slice(2)]);
