import type { Topic } from "./descriptions.ts";

/** The rest of OpenAI's routes. */
export const OTHER_DIALECT_TOPICS: Record<string, Topic> = {
  "more of openai": {
    title: "The rest of OpenAI's API",
    routes: {
      "POST /v1/embeddings": {
        summary: "Embeds texts with the vendor of the model",
        body: "OpenAiRequest",
        200: "OpenAiList",
      },
    },
  },
};
