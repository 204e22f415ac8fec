import { expect, it } from "vitest";
import { redactPaths } from "./paths.ts";

it.each([
  ["see file:///home/ada/notes.txt now", "see [path] now"],
  ['open "/home/ada/my notes.txt"', 'open "[path]"'],
  ["in C:\\Users\\ada\\notes.txt now", "in [path] now"],
  ["on \\\\server\\share\\ada now", "on [path] now"],
  ["in /home/ada/notes now", "in [path] now"],
  ["in /mine/ada/notes.txt now", "in [path] now"],
  ['"/dev/null/x"', '"[path]"'],
  ['"/bin/zsh"', '"[path]"'],
  ['"/home/bin/sh"', '"[path]"'],
  ['"/usr/bin/env node --watch"', '"[path]"'],
])("removes the path in %s", (text, clean) => {
  expect(redactPaths(text)).toBe(clean);
});

it.each([
  "> /dev/null",
  'write to "/dev/null"',
  "read /dev/random",
  "read /dev/urandom",
  "#! /bin/sh",
  "#! /bin/bash",
  "'/usr/bin/env node'",
  "'/usr/bin/env'",
])("keeps the path that is the same everywhere in %s", (text) => {
  expect(redactPaths(text)).toBe(text);
});
