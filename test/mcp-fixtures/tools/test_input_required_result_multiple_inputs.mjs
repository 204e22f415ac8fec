export default {
  name: "test_input_required_result_multiple_inputs",
  description: "Asks for three things at once.",
  effect: "none",
  retry: "pure",
  async run(_, { client }) {
    const schema = { properties: { name: { type: "string" } }, required: ["name"] };
    const messages = [{ role: "user", content: { type: "text", text: "Generate a greeting" } }];
    const answers = await Promise.all([
      client.elicit({ key: "user_name", message: "What is your name?", schema }),
      client.sample({ key: "greeting", messages, maxTokens: 50 }),
      client.roots("client_roots"),
    ]);
    return JSON.stringify(answers);
  },
};
