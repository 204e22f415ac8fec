import { setTimeout as pause } from "node:timers/promises";

export default {
  name: "confirm_delete",
  description: "Looks for a while, then asks.",
  effect: "none",
  retry: "pure",
  parameters: { type: "object", properties: { filename: { type: "string" } } },
  async run({ filename }, { client }) {
    await pause(1_000);
    const schema = { properties: { confirm: { type: "boolean" } }, required: ["confirm"] };
    const { action, content } = await client.elicit({ message: `Delete ${filename}?`, schema });
    return action === "accept" && content.confirm ? `${filename} is deleted.` : `${filename} stays.`;
  },
};
