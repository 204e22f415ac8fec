import { setTimeout as pause } from "node:timers/promises";

export default {
  name: "slow_compute",
  description: "Takes its time.",
  effect: "none",
  retry: "pure",
  timeoutMs: 120_000,
  parameters: { type: "object", properties: { seconds: { type: "number" }, label: { type: "string" } } },
  async run({ seconds = 1, label = "it" }, { signal }) {
    await pause(seconds * 1_000, undefined, { signal });
    return `Computed ${label}.`;
  },
};
