import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { COMMANDS, OPTIONS, rowOf } from "../src/terminal/command-table.ts";
import { readText, root } from "./support/deploy.ts";

const files = (folder: string, kind: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => kind.test(file))
    .map((file) => `${folder}/${file}`);
const settingsPage = readText("docs/settings.md");
const terminalPage = readText("docs/terminal.md");

it("explains every setting that the program reads in docs/settings.md", () => {
  const sources = files("src/app", /(?<!\.test)\.ts$/)
    .map(readText)
    .join("\n");
  const read = [
    ...sources.matchAll(/(?:read|readSetting)\(\s*"([A-Z][A-Z0-9_]+)"|settings\.([A-Z][A-Z0-9_]+)/g),
  ];
  const names = new Set(read.map(([, one, other]) => one ?? other ?? ""));
  expect(names.size).toBeGreaterThan(50);
  const missing = [...names].filter((name) => !settingsPage.includes(`\`${name}\``));
  // These have the meaning that OpenTelemetry gives them; docs/operations.md names them.
  expect(missing.filter((name) => !name.startsWith("OTEL_"))).toEqual([]);
});

it("lists every command with its flags in docs/terminal.md", () => {
  const rows = terminalPage.split("\n").filter((line) => line.startsWith("| `tackle"));
  const wrong = Object.keys(COMMANDS).flatMap((name) => {
    if (name === "help" || name === "version") return [];
    const typed = name === "chat" ? "tackle [" : name === "print" ? "tackle -p" : `tackle ${name}`;
    // `tackle models` is not the row of `tackle models check`.
    const row = rows.find(
      (line) => line.startsWith(`| \`${typed}`) && !/^(?: check| verify)/.test(line.slice(3 + typed.length)),
    );
    if (!row) return [`${typed}: no row`];
    if (row.includes("those of a chat")) return [];
    const flags = rowOf(name as keyof typeof COMMANDS).options.filter(
      (flag) => flag !== "data" && flag !== "print" && !row.includes(`--${flag}`),
    );
    return flags.map((flag) => `${typed}: --${flag}`);
  });
  expect(wrong).toEqual([]);
  const all = files("docs", /\.md$/).map(readText).join("\n");
  expect(Object.keys(OPTIONS).filter((flag) => !all.includes(`--${flag}`))).toEqual([]);
});
