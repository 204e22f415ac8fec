import { expect, test } from "vitest";
import { fenceOf } from "./fence.ts";

test.each([
  ["ts", { language: "ts" }],
  ["", { language: "" }],
  ["ts dates.ts", { language: "ts", name: "dates.ts" }],
  ["ts src/import/dates.ts", { language: "ts", name: "src/import/dates.ts" }],
  ["ts:src/dates.ts", { language: "ts", name: "src/dates.ts" }],
  ['tsx title="app/[id]/page.tsx" {3}', { language: "tsx", name: "app/[id]/page.tsx" }],
  ["dates.ts", { language: "ts", name: "dates.ts" }],
  ["js {1,3} showLineNumbers", { language: "js" }],
  ["c++", { language: "c++" }],
])("reads what opens a code block: %s", (line, fence) => {
  expect(fenceOf(line)).toEqual(fence);
});
