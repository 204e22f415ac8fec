export default {
  name: "test_input_required_result_prompt",
  description: "A prompt that asks the person.",
  async get(_, { client }) {
    const schema = { properties: { context: { type: "string" } }, required: ["context"] };
    const message = "What context should the prompt use?";
    const { content } = await client.elicit({ key: "user_context", message, schema });
    return `Use this context: ${content?.context}`;
  },
};
