export default {
  name: "test_input_required_result_multi_round",
  description: "Asks twice.",
  effect: "none",
  retry: "pure",
  async run(_, { client }) {
    const form = (name) => ({ properties: { [name]: { type: "string" } }, required: [name] });
    const first = await client.elicit({
      key: "step1",
      message: "Step 1: What is your name?",
      schema: form("name"),
    });
    const message = "Step 2: What is your favorite color?";
    const second = await client.elicit({ key: "step2", message, schema: form("color") });
    return `${first.content?.name} likes ${second.content?.color}.`;
  },
};
