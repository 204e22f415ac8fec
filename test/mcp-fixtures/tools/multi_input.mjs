import { setTimeout as pause } from "node:timers/promises";

export default {
  name: "multi_input",
  description: "Asks two things at once.",
  effect: "none",
  retry: "pure",
  async run(_, { client }) {
    await pause(1_000);
    const form = (name, type) => ({
      message: `And the ${name}?`,
      schema: { properties: { [name]: { type } } },
    });
    return Promise.all([client.elicit(form("name", "string")), client.elicit(form("confirm", "boolean"))]);
  },
};
