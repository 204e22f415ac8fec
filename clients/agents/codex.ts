import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineAgent } from "./agent.ts";

export const codex = defineAgent({
  name: "codex",
  title: "Codex",
  packages: ["@openai/codex"],
  door: "Responses",
  program: ".bin/codex",
  prepare({ home, url }) {
    mkdirSync(join(home, ".codex"));
    writeFileSync(
      join(home, ".codex/config.toml"),
      `model = "gpt-5.5"
model_provider = "tackle"
[model_providers.tackle]
name = "Tackle"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "TACKLE_KEY"
`,
    );
  },
  invoke({ text, resume, image }) {
    const flags = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
    const session = resume ? ["resume", "--last"] : [];
    const picture = image ? ["-i", image] : [];
    return {
      args: ["exec", ...session, ...flags, ...picture, "--", text],
      env: { TACKLE_KEY: "anything" },
    };
  },
  image: "attached",
});
