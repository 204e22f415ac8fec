export default {
  name: "test_error_handling",
  description: "Fails.",
  effect: "none",
  retry: "pure",
  run: () => ({ output: "This tool intentionally returns an error for testing", isError: true }),
};
