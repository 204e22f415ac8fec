import { defineAgent } from "./agent.ts";

export const claudeCode = defineAgent({
  name: "claude-code",
  title: "Claude Code",
  packages: ["@anthropic-ai/claude-code"],
  door: "Anthropic Messages",
  program: ".bin/claude",
  invoke({ text, resume }, { url }) {
    const tools = ["--allowedTools", "Bash,Edit,Read"];
    return {
      args: ["-p", text, "--model", "stub-1", ...tools, ...(resume ? ["--continue"] : [])],
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_AUTH_TOKEN: "anything",
        ANTHROPIC_SMALL_FAST_MODEL: "stub-1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
    };
  },
  image: "tool",
});
