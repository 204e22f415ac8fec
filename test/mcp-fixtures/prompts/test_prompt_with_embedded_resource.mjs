export default {
  name: "test_prompt_with_embedded_resource",
  description: "A prompt with a resource in it.",
  arguments: [{ name: "resourceUri", description: "Its address", required: true }],
  get: ({ resourceUri: uri }) => [
    {
      role: "user",
      content: {
        type: "resource",
        resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
      },
    },
    { role: "user", content: "Please process the embedded resource above." },
  ],
};
