export default {
  name: "test_sampling",
  description: "Asks the model of the calling program.",
  effect: "none",
  retry: "pure",
  parameters: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
  async run({ prompt }, { client }) {
    const messages = [{ role: "user", content: { type: "text", text: prompt } }];
    const { content } = await client.sample({ messages, maxTokens: 100 });
    return `LLM response: ${content.text}`;
  },
};
