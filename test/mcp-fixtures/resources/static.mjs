export default [
  {
    uri: "test://static-text",
    name: "static-text",
    description: "A text.",
    mimeType: "text/plain",
    read: () => "This is the content of the static text resource.",
  },
  {
    uri: "test://static-binary",
    name: "static-binary",
    description: "An image.",
    mimeType: "image/png",
    read: () =>
      Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNQSDgAAAHkAUGcFuGgAAAAAElFTkSuQmCC",
        "base64",
      ),
  },
  {
    uriTemplate: "test://template/{id}/data",
    name: "template",
    description: "Many resources.",
    mimeType: "application/json",
    read: ({ id }) => ({ id, templateTest: true, data: `Data for ID: ${id}` }),
  },
  { uri: "test://watched-resource", name: "watched-resource", read: () => "Watched resource content" },
];
