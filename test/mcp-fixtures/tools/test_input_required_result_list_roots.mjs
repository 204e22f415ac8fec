export default {
  name: "test_input_required_result_list_roots",
  description: "Asks for folders.",
  effect: "none",
  retry: "pure",
  async run(_, { client }) {
    const roots = await client.roots("client_roots");
    return roots.map(({ uri }) => uri).join(", ");
  },
};
