export default {
  name: "test_prompt_with_image",
  description: "A prompt with an image in it.",
  get: () => [
    {
      role: "user",
      content: {
        type: "image",
        mimeType: "image/png",
        data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNQSDgAAAHkAUGcFuGgAAAAAElFTkSuQmCC",
      },
    },
    { role: "user", content: "Please analyze the image above." },
  ],
};
