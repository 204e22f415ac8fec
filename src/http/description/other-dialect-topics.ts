import { BYTES, FRAMES, IDEMPOTENT, type Topic } from "./descriptions.ts";

const FORM = { type: "multipart/form-data", says: "A form with a file." };
const TEXT = { type: "text/plain", says: "A file of text." };
const LINES = { type: "application/x-ndjson", says: "One JSON object per line." };

/** The rest of OpenAI's routes. */
export const OTHER_DIALECT_TOPICS: Record<string, Topic> = {
  "more of openai": {
    title: "The rest of OpenAI's API",
    routes: {
      "POST /v1/images/generations": {
        summary: "Makes images with the image tool",
        body: "OpenAiRequest",
        200: ["OpenAiImages", FRAMES],
      },
      "POST /v1/images/edits": {
        summary: "Changes an image with the image tool",
        body: FORM,
        200: ["OpenAiImages", FRAMES],
      },
      "POST /v1/files": {
        summary: "Stores a file. Messages can name it by its id",
        body: FORM,
        200: "OpenAiObject",
      },
      "GET /v1/files": {
        summary: "Lists your files; with `anthropic-version`, in Anthropic's format",
        query: {
          limit: "The maximum number of files, up to 10,000.",
          after: "Only files after this one.",
          order: "`asc` or `desc`, the default.",
        },
        200: "OpenAiList",
      },
      "GET /v1/files/:id": { summary: "Returns what is known about a file", 200: "OpenAiObject" },
      "GET /v1/files/:id/content": { summary: "Returns the bytes of a file", 200: [BYTES, TEXT] },
      "DELETE /v1/files/:id": { summary: "Deletes a file", 200: "OpenAiObject" },
      "POST /v1/completions": {
        summary: "Completes a text, or fills in what belongs before its suffix",
        headers: IDEMPOTENT,
        body: "OpenAiRequest",
        200: ["OpenAiObject", FRAMES],
      },
      "POST /v1/fim/completions": {
        summary: "Fills in what belongs between a prompt and its suffix, as a chat completion",
        headers: IDEMPOTENT,
        body: "OpenAiRequest",
        200: ["OpenAiObject", FRAMES],
      },
      "POST /v1/embeddings": {
        summary: "Embeds texts with the vendor of the model",
        body: "OpenAiRequest",
        200: "OpenAiList",
      },
    },
  },
  ollama: {
    title: "Ollama's API",
    routes: {
      "POST /api/chat": {
        summary: "Answers a conversation",
        body: "OllamaObject",
        200: ["OllamaObject", LINES],
      },
      "POST /api/generate": {
        summary: "Answers a prompt, or fills in what belongs before a suffix",
        body: "OllamaObject",
        200: ["OllamaObject", LINES],
      },
      "POST /api/pull": {
        summary: "Says that a model is there",
        body: "OllamaObject",
        200: ["OllamaObject", LINES],
      },
      "POST /api/embed": { summary: "Embeds texts", body: "OllamaObject", 200: "OllamaObject" },
      "POST /api/embeddings": { summary: "Embeds one text", body: "OllamaObject", 200: "OllamaObject" },
      "GET /api/tags": { summary: "Lists the models", 200: "OllamaObject" },
      "POST /api/show": { summary: "Describes a model", body: "OllamaObject", 200: "OllamaObject" },
      "GET /api/ps": { summary: "Lists models in memory: none", 200: "OllamaObject" },
      "GET /api/version": { summary: "The release of Ollama whose API this is", 200: "OllamaObject" },
    },
  },
};
