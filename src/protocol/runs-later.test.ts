import { expect, it } from "vitest";
import { runsLater } from "./runs-later.ts";

it.each([
  ".git/config",
  ".git/hooks/pre-commit",
  "lib/.git",
  ".GIT/config",
  ".git./config",
  ".gitattributes",
  "a/.envrc",
  ".vscode/tasks.json",
  ".idea/workspace.xml",
  "package.json",
  "packages/a/package.json",
  ".npmrc",
  ".husky/pre-commit",
  ".bashrc",
  ".config/fish/config.fish",
  "AGENTS.md",
  "docs/Claude.md",
  ".agents/skills/a/SKILL.md",
  ".github/workflows/ci.yml",
  ".gitlab-ci.yml",
  "project.code-workspace",
])("knows that %s runs later", (path) => expect(runsLater(path)).toBe(true));

it.each([
  "src/index.ts",
  "README.md",
  ".gitignore",
  "docs/git/config",
  "package-lock.json",
  "Makefile",
  ".github/CODEOWNERS",
  ".github",
  "..",
])("leaves %s alone", (path) => expect(runsLater(path)).toBe(false));

it("counts a folder around them where it may hold them", () => {
  expect(runsLater(".github", { holds: true })).toBe(true);
  expect(runsLater("docs", { holds: true })).toBe(false);
});
