export default {
  name: "test_image_content",
  description: "Returns an image.",
  effect: "none",
  retry: "pure",
  run: () => ({
    output: "",
    images: [
      {
        mimeType: "image/png",
        base64:
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNQSDgAAAHkAUGcFuGgAAAAAElFTkSuQmCC",
      },
    ],
  }),
};
