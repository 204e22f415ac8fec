import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The Node that we run on. Version managers install it in a home folder, where commands would not find it. */
export interface OwnNode {
  readonly program: string;
  /** The folder of npm, if it is installed with Node. */
  readonly npm: string | undefined;
}

/** Returns exactly the files that commands may read. Everything around them belongs to the user. */
export function ownNode(): OwnNode {
  const program = process.execPath;
  const npm = resolve(dirname(program), "../lib/node_modules/npm");
  return { program, npm: existsSync(join(npm, "bin/npm-cli.js")) ? npm : undefined };
}
