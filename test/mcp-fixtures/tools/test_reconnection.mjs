export default {
  name: "test_reconnection",
  description: "Takes a moment, in which the connection may break.",
  effect: "none",
  retry: "pure",
  async run() {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return "Here is the result.";
  },
};
