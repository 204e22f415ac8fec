import type { Dialect } from "../../protocol/provider.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { gemini } from "./gemini.ts";
import { ollama } from "./ollama.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiImages } from "./openai-images.ts";
import { openaiResponses } from "./openai-responses.ts";

/** Every dialect by its id. */
export const DIALECTS: Readonly<Record<string, Dialect>> = Object.fromEntries(
  [openaiChat, openaiResponses, anthropicMessages, gemini, ollama, openaiImages].map((dialect) => [
    dialect.id,
    dialect,
  ]),
);
