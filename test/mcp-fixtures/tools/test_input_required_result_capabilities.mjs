export default {
  name: "test_input_required_result_capabilities",
  description: "Asks for what the calling program can answer.",
  effect: "none",
  retry: "pure",
  async run(_, { client }) {
    const messages = [{ role: "user", content: { type: "text", text: "Sample request" } }];
    const { elicitation, sampling } = client.capabilities;
    const form = { message: "Elicitation input", schema: { properties: { value: { type: "string" } } } };
    return JSON.stringify([
      elicitation ? await client.elicit(form) : "no form",
      sampling ? await client.sample({ messages, maxTokens: 50 }) : "no model",
    ]);
  },
};
