import { expect, it } from "vitest";
import { silentLog } from "./silent-log.ts";

it("a log that keeps nothing still knows its run", async () => {
  const log = silentLog("run_1");
  log.emit({ type: "content_delta", choices: [{ index: 0, delta: { content: "Hi" } }] });
  await log.flush();
  expect(log.runId).toBe("run_1");
  expect(log.state()).toMatchObject({ runId: "run_1", text: "" });
});
