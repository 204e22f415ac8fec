export default {
  name: "test_elicitation",
  description: "Asks the person who uses the calling program.",
  effect: "none",
  retry: "pure",
  parameters: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
  async run({ message }, { client }) {
    const schema = {
      type: "object",
      properties: {
        username: { type: "string", description: "User's response" },
        email: { type: "string", description: "User's email address" },
      },
      required: ["username", "email"],
    };
    const answer = await client.elicit({ message, schema });
    return `User response: ${JSON.stringify(answer)}`;
  },
};
