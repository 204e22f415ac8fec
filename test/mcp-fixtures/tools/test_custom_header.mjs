export default {
  name: "test_custom_header",
  description: "Takes a parameter that is also a header.",
  effect: "none",
  retry: "pure",
  parameters: {
    type: "object",
    properties: { region: { type: "string", "x-mcp-header": "Region" } },
    required: ["region"],
  },
  run: ({ region }) => `The region is ${region}.`,
};
