import type { Sandbox } from "../../../protocol/tool.ts";
import type { ProbedHost } from "./host.ts";
import { emptyWorkspace } from "./probe.ts";

/** What ordinary commands do. Each must work in every sandbox. */
export interface HonestTask {
  readonly name: string;
  /** A script that ends with 0 if all went well. */
  readonly script: string;
  /** A program that it needs. Without it the task is left out. */
  readonly needs?: string;
}

const task = (name: string, script: string, needs?: string): HonestTask => ({
  name,
  script,
  ...(needs && { needs }),
});
const COMMIT = "git -c user.name=a -c user.email=a@b.example commit -qm one";

export const HONEST_TASKS: readonly HonestTask[] = [
  task("run a script", "printf '#!/bin/sh\\necho ran\\n' > s.sh && chmod +x s.sh && [ $(./s.sh) = ran ]"),
  task("change permissions", "touch f && chmod 640 f && [ $(stat -c %a f) = 640 ] && chmod -R u+rwX,go-w ."),
  task(
    "set times",
    "touch -d 2001-02-03 f && [ $(date -r f +%Y) = 2001 ] && touch f && [ $(date -r f +%Y) != 2001 ]",
  ),
  task(
    "copy with permissions and times",
    'touch -d 2001-02-03 f && chmod 600 f && cp -p f g && [ "$(stat -c %a%Y f)" = "$(stat -c %a%Y g)" ] && mkdir d && cp -a f d && mv d e && rm -r e',
  ),
  task(
    "pack and unpack",
    "mkdir d && touch -d 2001-02-03 d/f && chmod 700 d/f && tar cf d.tar d && rm -r d && tar xf d.tar && [ $(stat -c %a d/f) = 700 ] && [ $(date -r d/f +%Y) = 2001 ]",
  ),
  task("links", "echo a > f && ln f hard && ln -s f soft && cat hard soft && readlink -f soft"),
  task(
    "temporary files",
    "f=$(mktemp) && echo a > $f && chmod 600 $f && rm $f && d=$(mktemp -d) && rmdir $d",
  ),
  task(
    "commit and clone",
    `git init -q a && cd a && echo x > f && git add f && ${COMMIT} && cd .. && git clone -q a b && cd b && git checkout -q -b two && git log --oneline`,
    "git",
  ),
  task(
    "install a package",
    `mkdir lib app && echo '{"name":"lib","version":"1.0.0","bin":"x.js"}' > lib/package.json && printf '#!/usr/bin/env node\\nconsole.log(1)\\n' > lib/x.js && cd lib && npm pack --silent && cd ../app && echo '{"name":"app","version":"1.0.0"}' > package.json && npm install --silent --no-audit --no-fund ../lib/lib-1.0.0.tgz && [ $(node_modules/.bin/lib) = 1 ]`,
    "npm",
  ),
  task(
    "compile and run",
    "printf 'int main(){return 7;}' > m.c && gcc m.c -o m && { ./m; [ $? = 7 ]; }",
    "gcc",
  ),
  task("a virtual environment", "python3 -m venv --without-pip v && v/bin/python -c 'print(1)'", "python3"),
  task(
    "Python's own copies",
    'python3 -c \'import os, shutil; os.mkdir("a"); open("a/f", "w").close(); os.chmod("a/f", 0o600, follow_symlinks=True); shutil.copytree("a", "b"); os.utime("b/f", (5, 6)); assert os.stat("b/f").st_mtime == 6\'',
    "python3",
  ),
  task("several processes", "seq 20 | xargs -P 4 -n 1 sh -c 'sleep 0.05; echo $0' | wc -l | grep -qx 20"),
  task(
    "a database",
    'python3 -c \'import sqlite3; d = sqlite3.connect("d.sqlite"); d.execute("create table t(a)"); d.execute("insert into t values(1)"); d.commit()\'',
    "python3",
  ),
  task(
    "wait for a change",
    'node -e \'const fs = require("fs"); fs.watch(".", () => process.exit(0)); setTimeout(() => fs.writeFileSync("f", ""), 100); setTimeout(() => process.exit(1), 5000)\'',
    "node",
  ),
  task("limits and priorities of its own", "ulimit -n 200 && nice -n 5 sh -c true"),
];

/** Runs a task in an empty workspace. Returns undefined if its program is missing. */
export async function tryHonest(
  { script, needs }: HonestTask,
  host: ProbedHost,
  sandbox: Sandbox,
): Promise<{ works: boolean; said: string } | undefined> {
  emptyWorkspace(host);
  if (needs && (await host.run(`command -v ${needs}`, sandbox)).exitCode !== 0) return undefined;
  const { exitCode, stdout, stderr } = await host.run(script, sandbox);
  return { works: exitCode === 0, said: stdout + stderr };
}
