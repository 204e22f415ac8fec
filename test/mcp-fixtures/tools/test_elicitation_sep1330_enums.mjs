export default {
  name: "test_elicitation_sep1330_enums",
  description: "Asks with choices.",
  effect: "none",
  retry: "pure",
  async run(_, { client }) {
    const titled = (titles) => titles.map((title, at) => ({ const: `value${at + 1}`, title }));
    const options = ["option1", "option2", "option3"];
    const schema = {
      type: "object",
      properties: {
        untitledSingle: { type: "string", enum: options },
        titledSingle: { type: "string", oneOf: titled(["First Option", "Second Option", "Third Option"]) },
        legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
        untitledMulti: { type: "array", minItems: 1, maxItems: 3, items: { type: "string", enum: options } },
        titledMulti: {
          type: "array",
          minItems: 1,
          maxItems: 3,
          items: { anyOf: titled(["One", "Two", "Three"]) },
        },
      },
      required: [],
    };
    const answer = await client.elicit({ message: "Please choose.", schema });
    return `Elicitation completed: ${JSON.stringify(answer)}`;
  },
};
