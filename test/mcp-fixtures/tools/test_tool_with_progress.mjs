import { setTimeout as pause } from "node:timers/promises";

export default {
  name: "test_tool_with_progress",
  description: "Reports its progress.",
  effect: "none",
  retry: "pure",
  async run(_, { progress }) {
    progress("Begins.", 0);
    await pause(50);
    progress("Half of it is done.", 50);
    await pause(50);
    progress("All is done.", 100);
    return "Done.";
  },
};
