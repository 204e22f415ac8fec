import { defineAgent } from "./agent.ts";

export const copilot = defineAgent({
  name: "copilot",
  title: "GitHub Copilot CLI",
  packages: ["@github/copilot"],
  door: "Chat Completions",
  program: ".bin/copilot",
  invoke({ text, resume, image }, { url }) {
    const session = resume ? ["--continue"] : [];
    const picture = image ? ["--attachment", image] : [];
    return {
      args: ["--silent", "--allow-all", "--no-auto-update", ...session, ...picture, "-p", text],
      env: { COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_MODEL: "stub-1", COPILOT_OFFLINE: "1" },
    };
  },
  image: "attached",
});
