export default {
  name: "test_logging_tool",
  description: "Writes a line to the log.",
  effect: "none",
  retry: "pure",
  run(_, { log }) {
    log("info", "A line.");
    return "A line was logged.";
  },
};
