import { expect, test } from "vitest";
import { patternOf, readPattern, ruleSentence, toolOptions } from "./rule-words.ts";

test("a plain text becomes a pattern and is read back as words", () => {
  for (const kind of ["Is", "Begins", "Contains"] as const)
    for (const text of ["npm test", "a.b (c)", "https://example.com/?q=1"])
      expect(readPattern(patternOf(kind, text))).toEqual({ kind, text });
  expect(patternOf("Is", "npm test")).toBe("^npm test$");
  expect(new RegExp(patternOf("Is", "a.b (c) [d]/{e}|f"), "u").test("a.b (c) [d]/{e}|f")).toBe(true);
});

test("any other pattern stays as it is", () => {
  for (const text of ["^npm (test|run lint)$", "^git .*", "\\d+", "test$"])
    expect(readPattern(text)).toEqual({ kind: "Matches", text });
});

test("tools that share a name are told apart by their own", () => {
  expect(toolOptions(["get_time", "browser.search", "web_search"])).toEqual([
    { value: "get_time", text: "Time" },
    { value: "browser.search", text: "Web search (browser.search)" },
    { value: "web_search", text: "Web search (web_search)" },
  ]);
});

test("a rule is a sentence that names the tool, the condition and what happens", () => {
  expect(ruleSentence({ action: "allow", tool: "execute_command", match: { command: "^npm test$" } })).toBe(
    "Runs without asking: Commands, if command is “npm test”",
  );
  expect(ruleSentence({ action: "ask", tool: "linear.find", match: { query: "secret" } })).toBe(
    "Asks first: Linear find, if query contains “secret”",
  );
  expect(ruleSentence({ action: "ask", effect: "network" })).toBe("Asks first: whatever uses the network");
  expect(ruleSentence({ action: "deny" })).toBe("Never runs: every tool");
});
