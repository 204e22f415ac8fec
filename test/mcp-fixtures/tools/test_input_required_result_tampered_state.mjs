export default {
  name: "test_input_required_result_tampered_state",
  description: "Asks for a confirmation.",
  effect: "none",
  retry: "pure",
  async run(_, { client }) {
    const schema = { properties: { ok: { type: "boolean" } }, required: ["ok"] };
    await client.elicit({ key: "confirm", message: "Please confirm", schema });
    return "integrity-ok";
  },
};
