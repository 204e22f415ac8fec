export default {
  name: "test_streaming_elicitation",
  description: "Reports progress, then asks.",
  effect: "none",
  retry: "pure",
  async run(_, { client, progress }) {
    progress("Half of it is done.", 50);
    return client.elicit({ message: "Go on?", schema: { properties: { ok: { type: "boolean" } } } });
  },
};
