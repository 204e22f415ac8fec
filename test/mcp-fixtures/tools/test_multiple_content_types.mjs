export default {
  name: "test_multiple_content_types",
  description: "Returns a text, an image and a resource.",
  effect: "none",
  retry: "pure",
  run: () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      {
        type: "image",
        mimeType: "image/png",
        data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNQSDgAAAHkAUGcFuGgAAAAAElFTkSuQmCC",
      },
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        },
      },
    ],
  }),
};
