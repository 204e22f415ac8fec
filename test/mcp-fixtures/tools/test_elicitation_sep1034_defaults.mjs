export default {
  name: "test_elicitation_sep1034_defaults",
  description: "Asks with defaults.",
  effect: "none",
  retry: "pure",
  async run(_, { client }) {
    const schema = {
      type: "object",
      properties: {
        name: { type: "string", description: "User name", default: "John Doe" },
        age: { type: "integer", description: "User age", default: 30 },
        score: { type: "number", description: "User score", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", description: "Verification status", default: true },
      },
      required: [],
    };
    const answer = await client.elicit({ message: "Please check the form.", schema });
    return `Elicitation completed: ${JSON.stringify(answer)}`;
  },
};
