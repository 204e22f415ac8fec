export default {
  name: "test_embedded_resource",
  description: "Returns a resource.",
  effect: "none",
  retry: "pure",
  run: () => ({
    output: "",
    resources: [
      {
        uri: "test://embedded-resource",
        mimeType: "text/plain",
        text: "This is an embedded resource content.",
      },
    ],
  }),
};
