import { setTimeout as pause } from "node:timers/promises";

export default {
  name: "test_tool_with_task",
  description: "Asks for a name, then takes its time.",
  effect: "none",
  retry: "pure",
  task: "required",
  async run(_, { client }) {
    const schema = { properties: { name: { type: "string" } }, required: ["name"] };
    const { content } = await client.elicit({ key: "user_name", message: "What is your name?", schema });
    await pause(1_000);
    return `Hello, ${content?.name}!`;
  },
};
