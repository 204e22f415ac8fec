import { expect, test, vi } from "vitest";
import { createMetrics } from "./metrics.ts";

test("the metrics of the process are collected without internal functions of Node, which can end it", async () => {
  const internal = process as NodeJS.Process &
    Record<"_getActiveHandles" | "_getActiveRequests", () => object[]>;
  const handles = vi.spyOn(internal, "_getActiveHandles");
  const requests = vi.spyOn(internal, "_getActiveRequests");
  const text = await createMetrics({ lagMs: () => 0 }).text();
  expect(text).toContain("nodejs_active_resources_total");
  expect(text).toContain("process_resident_memory_bytes");
  expect([handles.mock.calls, requests.mock.calls]).toEqual([[], []]);
  vi.restoreAllMocks();
});
