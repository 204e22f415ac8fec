import { availableParallelism } from "node:os";
import { expect, it } from "vitest";
import { countProcesses } from "./count.ts";

it("uses all cores by itself only where several processes can write", () => {
  expect(countProcesses({ processes: "auto", databaseUrl: "postgres://db/tackle" })).toBe(
    availableParallelism(),
  );
  expect(countProcesses({ processes: "auto", databaseUrl: undefined })).toBe(1);
  expect(countProcesses({ processes: 3, databaseUrl: undefined })).toBe(3);
});
