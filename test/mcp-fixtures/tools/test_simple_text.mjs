export default {
  name: "test_simple_text",
  description: "Returns a text.",
  effect: "none",
  retry: "pure",
  run: () => "This is a simple text response for testing.",
};
