export default {
  name: "test_missing_capability",
  description: "Needs the model of the calling program.",
  effect: "none",
  retry: "pure",
  run: (_, { client }) =>
    client.sample({ messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 10 }),
};
