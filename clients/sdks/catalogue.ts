import type { Client } from "../client.ts";
import { defineSdk } from "./sdk.ts";

/** Libraries, each with a program of its name in this folder. */
export const SDKS: readonly Client[] = [
  defineSdk({
    name: "openai",
    title: "OpenAI",
    packages: ["openai", "zod"],
    door: "Chat Completions, Responses",
  }),
  defineSdk({
    name: "anthropic",
    title: "Anthropic",
    packages: ["@anthropic-ai/sdk", "zod"],
    door: "Messages",
  }),
  defineSdk({
    name: "ai-sdk-openai",
    title: "AI SDK, OpenAI",
    packages: ["@ai-sdk/openai", "ai", "zod"],
    door: "Responses",
  }),
  defineSdk({
    name: "ai-sdk-anthropic",
    title: "AI SDK, Anthropic",
    packages: ["@ai-sdk/anthropic", "ai", "zod"],
    door: "Messages",
  }),
  defineSdk({
    name: "ai-sdk-compatible",
    title: "AI SDK, compatible",
    packages: ["@ai-sdk/openai-compatible", "ai", "zod"],
    door: "Chat Completions",
  }),
  defineSdk({
    name: "langchain-openai",
    title: "LangChain, OpenAI",
    packages: ["@langchain/openai", "langchain", "@langchain/core", "zod"],
    door: "Chat Completions",
  }),
  defineSdk({
    name: "langchain-anthropic",
    title: "LangChain, Anthropic",
    packages: ["@langchain/anthropic", "langchain", "@langchain/core", "zod"],
    door: "Messages",
  }),
  defineSdk({
    name: "langgraph",
    title: "LangGraph",
    packages: ["@langchain/langgraph", "@langchain/openai", "@langchain/core", "zod"],
    door: "Responses",
  }),
  defineSdk({
    name: "openai-agents",
    title: "OpenAI Agents",
    packages: ["@openai/agents", "openai", "zod"],
    door: "Responses, Conversations",
  }),
  defineSdk({
    name: "instructor",
    title: "Instructor",
    packages: ["@instructor-ai/instructor", "openai", "zod"],
    door: "Chat Completions",
  }),
  defineSdk({ name: "ag-ui", title: "AG-UI", packages: ["@ag-ui/client"], door: "AG-UI" }),
  defineSdk({
    name: "copilotkit",
    title: "CopilotKit",
    packages: ["@copilotkit/runtime", "@copilotkit/core", "@ag-ui/client", "zod"],
    door: "AG-UI",
    env: { COPILOTKIT_TELEMETRY_DISABLED: "true" },
  }),
  defineSdk({
    name: "use-chat",
    title: "useChat",
    packages: ["@ai-sdk/react", "ai", "react"],
    door: "UI message stream",
  }),
  defineSdk({
    name: "mastra",
    title: "Mastra",
    packages: ["@mastra/core", "zod"],
    door: "Chat Completions",
    env: { MASTRA_TELEMETRY_DISABLED: "1" },
  }),
  defineSdk({
    name: "llamaindex",
    title: "LlamaIndex",
    packages: ["llamaindex", "@llamaindex/openai", "@llamaindex/workflow", "zod"],
    door: "Chat Completions",
  }),
  defineSdk({
    name: "promptfoo",
    title: "promptfoo",
    packages: ["promptfoo"],
    door: "Chat Completions, Responses",
    env: {
      PROMPTFOO_DISABLE_TELEMETRY: "1",
      PROMPTFOO_DISABLE_UPDATE: "1",
      PROMPTFOO_DISABLE_REMOTE_GENERATION: "1",
    },
  }),
];
