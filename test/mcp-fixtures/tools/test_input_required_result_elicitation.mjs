export default {
  name: "test_input_required_result_elicitation",
  description: "Asks for a name.",
  effect: "none",
  retry: "pure",
  async run(_, { client }) {
    const schema = { properties: { name: { type: "string" } }, required: ["name"] };
    const { content } = await client.elicit({ key: "user_name", message: "What is your name?", schema });
    return `Hello, ${content?.name ?? "stranger"}!`;
  },
};
