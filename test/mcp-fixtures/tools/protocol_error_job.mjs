import { setTimeout as pause } from "node:timers/promises";

export default {
  name: "protocol_error_job",
  description: "Breaks without a word after a second.",
  effect: "none",
  retry: "pure",
  async run() {
    await pause(1_000);
    throw new Error();
  },
};
