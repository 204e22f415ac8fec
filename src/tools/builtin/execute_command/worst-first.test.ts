import { expect, it } from "vitest";
import { worstFirst } from "./worst-first.ts";

it("shows a short command as it is", () => {
  expect(worstFirst("ls && rm -rf src")).toBe("ls && rm -rf src");
});

it.each([
  ["sixty empty lines", `ls${"\n".repeat(61)}rm -rf src`, "⋮ 60 empty lines"],
  ["many harmless lines", `${"echo building\n".repeat(300)}rm -rf src`, "echo building"],
  ["many parts in a line", `${"pwd; ".repeat(300)}rm -rf src`, "pwd; pwd"],
  ["invisible characters", "ls\u200b; rm -rf src", "ls⟨U+200B⟩"],
])("shows what destroys first, behind %s, and then the whole", (_, command, also) => {
  const shown = worstFirst(command);
  expect(shown).toMatch(/^Its most dangerous part:\n⚠ rm -rf src\n\nThe whole command:\n/);
  expect(shown).toContain(also);
  expect(shown.endsWith("rm -rf src")).toBe(true);
});
