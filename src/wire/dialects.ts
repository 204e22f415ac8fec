import type { Dialect } from "../protocol/model.ts";
import { openaiChat } from "./openai-chat.ts";

/** Every dialect by its id. */
export const DIALECTS: Readonly<Record<string, Dialect>> = {
  "openai-chat": openaiChat,
};
