import { expect, it } from "vitest";
import { commandTitle } from "./command-title.ts";

it.each([
  ["git push", "askPush"],
  ["git push -u origin fix/dates-2", "askPush"],
  ["git commit -am 'Fix the dates -- all of them'", "askCommit"],
  ['"git" commit --message="Fix"', "askCommit"],
  ["npm install", "askInstall"],
  ["npm i -D @types/node@24", "askInstall"],
  ["pnpm add zod", "askInstall"],
  ["yarn add zod", "askInstall"],
  ["pip install -r requirements.txt", "askInstall"],
  ["rm -rf dist 'my files'", "askRemove"],
  ["npm test", "askTest"],
  ["npm run test -- src/dates.test.ts", "askTest"],
  ["go test ./...", "askTest"],
])("%s asks %s", (command, title) => {
  expect(commandTitle(command)).toBe(title);
});

it.each([
  "",
  "touch a",
  "git",
  "git status",
  "git pushy",
  // A compound command, also one that only looks like a simple one.
  "npm test && rm -rf src",
  "git push; rm -rf src",
  "npm test\nrm -rf src",
  "npm test # $(rm -rf src)",
  "npm install `rm -rf src`",
  "npm test > src/main.ts",
  // Another program.
  "./git push",
  "PATH=/tmp git push",
  "sudo rm a",
  "echo git push",
  "git\u00a0push",
  "git\u000bpush",
  "'git push'",
  "g\u0456t push",
  // An option that makes something else of it.
  "git -c alias.push=!sh push",
  "git push --force",
  "git push -f origin main",
  "git push origin --delete main",
  "git push origin :main",
  "git push origin +main",
  "git push --receive-pack=sh origin",
  "git push 'ext::sh -c a'",
  "git push ../other",
  "git commit --amend",
  "git commit -m x --amend",
  "npm install --prefix /",
  "npm install --script-shell=./evil",
  "npm test --prefix ../other",
  "npm uninstall zod",
  "pip install --target=/ zod",
  "pytest -p evil",
  "go test -exec ./evil",
  "rm -- -x",
  "rm *",
  "rm",
])("%j stays a command", (command) => {
  expect(commandTitle(command)).toBe("askRun");
});
