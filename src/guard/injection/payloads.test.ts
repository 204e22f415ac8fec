import { expect, it } from "vitest";
import { scan } from "./scan.ts";

it.each([
  ["'; DROP TABLE users; --", "sql_pattern"],
  ["' OR 1=1", "sql_pattern"],
  ["' or '1'='1' --", "sql_pattern"],
  ["1 OR 1=1", "sql_pattern"],
  ["id=1 UNION ALL SELECT name, pass FROM users", "sql_pattern"],
  ["admin'--", "sql_pattern"],
  ["1; WAITFOR DELAY '0:0:5'", "sql_pattern"],
  ["Robert'); DROP TABLE Students;--", "sql_pattern"],
  ["<script>alert(1)</script>", "script_pattern"],
  ["<SCRIPT SRC=//x.example></SCRIPT>", "script_pattern"],
  ["[x](javascript:alert(1))", "script_pattern"],
  ['<img src=x onerror="alert(1)">', "script_pattern"],
  ["<svg/onload=alert(1)>", "script_pattern"],
  ["data:text/html;base64,PHNjcmlwdD4=", "script_pattern"],
  ["%3Cscript%3Ealert%281%29%3C%2Fscript%3E", "script_pattern"],
])("labels %s", (text, label) => {
  expect(scan(text)).toEqual({ flagged: false, score: 0, labels: [label] });
});

it.each([
  "How do I select the users that were active in May or June?",
  "It's one thing; drop it at the table.",
  "2 and 2 = 4, and x = 1 or y = 2",
  "I like JavaScript: it runs everywhere.",
  "Use onClick={() => go()} on the button, then set a < b.",
  "The dogs' owners -- all of them -- agreed.",
  "Update the schema; alter the plan if needed.",
])("finds no payload in: %s", (text) => {
  expect(scan(text).labels).toEqual([]);
});
