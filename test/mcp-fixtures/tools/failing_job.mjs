import { setTimeout as pause } from "node:timers/promises";

export default {
  name: "failing_job",
  description: "Fails after a second.",
  effect: "none",
  retry: "pure",
  task: "required",
  async run() {
    await pause(1_000);
    return { output: "The job failed.", isError: true };
  },
};
