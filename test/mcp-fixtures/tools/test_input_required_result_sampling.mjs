export default {
  name: "test_input_required_result_sampling",
  description: "Asks the model of the calling program.",
  effect: "none",
  retry: "pure",
  async run(_, { client }) {
    const messages = [{ role: "user", content: { type: "text", text: "What is the capital of France?" } }];
    const { content } = await client.sample({ key: "capital_question", messages, maxTokens: 100 });
    return content.text;
  },
};
