import { expect, it } from "vitest";
import { commandFamily } from "./command-scope.ts";

it.each([
  ["mkdir a b", "mkdir"],
  ["mkdir -p 'a b' \"c d\"", "mkdir"],
  ["git add -A", "git add"],
  ["git add -", "git add"],
  ["git add -- -x", "git add"],
  ["git commit -m 'a - b'", "git commit"],
  ["git commit -m -x", "git commit"],
  ["git commit --message=done", "git commit"],
  ["git commit --message='it is done'", "git commit"],
  ['"git" commit -a', "git commit"],
])("%s belongs to the family %s", (command, family) => {
  expect(commandFamily(command)).toBe(family);
});

it.each([
  "",
  "git",
  "mkdir",
  "git add",
  "git push origin",
  "git add --force",
  "git add -x--all=",
  "git commit --amend=x",
  "git commit --message=a -x",
  "git commit -m a -x",
  "git add x--message=a -x",
  "mkdir a*",
  "mkdir ~",
  // To a shell, the whole line is the name of a program.
  "git\u00a0add\u00a0x",
  "mkdir a; rm b",
  'mkdir "$(rm b)"',
])("%j belongs to none", (command) => {
  expect(commandFamily(command)).toBeUndefined();
});
