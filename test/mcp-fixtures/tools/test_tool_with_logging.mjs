import { setTimeout as pause } from "node:timers/promises";

export default {
  name: "test_tool_with_logging",
  description: "Writes three lines to the log.",
  effect: "none",
  retry: "pure",
  async run(_, { log }) {
    log("info", "Tool execution started");
    await pause(50);
    log("info", "Tool processing data");
    await pause(50);
    log("info", "Tool execution completed");
    return "Three lines were logged.";
  },
};
