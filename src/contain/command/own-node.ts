import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The Node that we run on: version managers keep it in a home folder, where a command would not find it. */
export interface OwnNode {
  readonly program: string;
  /** The folder of npm, where it was installed beside. */
  readonly npm: string | undefined;
}

/** Names exactly the files that a command may read, because whatever else is around them is the user's. */
export function ownNode(program: string = process.execPath): OwnNode {
  const npm = resolve(dirname(program), "../lib/node_modules/npm");
  return { program, npm: existsSync(join(npm, "bin/npm-cli.js")) ? npm : undefined };
}
