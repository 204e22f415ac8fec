import { defineAgent } from "./agent.ts";

export const opencode = defineAgent({
  name: "opencode",
  title: "opencode",
  packages: ["opencode-ai"],
  door: "Chat Completions",
  program: ".bin/opencode",
  invoke({ text, resume, image }, { url }) {
    const model = {
      name: "stub",
      attachment: true,
      tool_call: true,
      limit: { context: 100_000, output: 8_000 },
    };
    const modalities = { input: ["text", "image"], output: ["text"] };
    const config = {
      autoupdate: false,
      share: "disabled",
      provider: {
        tackle: {
          npm: "@ai-sdk/openai-compatible",
          options: { baseURL: `${url}/v1`, apiKey: "anything" },
          models: { "stub-1": { ...model, modalities } },
        },
      },
    };
    const session = resume ? ["--continue"] : [];
    const picture = image ? ["-f", image] : [];
    return {
      args: ["run", "-m", "tackle/stub-1", "--auto", ...session, text, ...picture],
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      },
    };
  },
  image: "attached",
});
