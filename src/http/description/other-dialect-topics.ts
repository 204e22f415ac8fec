import { IDEMPOTENT, type Topic } from "./descriptions.ts";

const FRAMES = { type: "text/event-stream", says: "Frames in the protocol's own format." };

/** The rest of OpenAI's routes. */
export const OTHER_DIALECT_TOPICS: Record<string, Topic> = {
  "more of openai": {
    title: "The rest of OpenAI's API",
    routes: {
      "POST /v1/completions": {
        summary: "Completes a text, or fills in what belongs before its suffix",
        body: "OpenAiRequest",
        headers: IDEMPOTENT,
        200: ["OpenAiObject", FRAMES],
      },
      "POST /v1/embeddings": {
        summary: "Embeds texts with the vendor of the model",
        body: "OpenAiRequest",
        200: "OpenAiList",
      },
    },
  },
};
