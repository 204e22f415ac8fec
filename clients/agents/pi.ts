import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineAgent } from "./agent.ts";

export const pi = defineAgent({
  name: "pi",
  title: "Pi",
  packages: ["@mariozechner/pi-coding-agent"],
  door: "Anthropic Messages",
  program: ".bin/pi",
  prepare({ home, url }) {
    const folder = join(home, ".pi/agent");
    mkdirSync(folder, { recursive: true });
    const models = [{ id: "stub-1", reasoning: true, input: ["text", "image"], contextWindow: 100_000 }];
    const tackle = { baseUrl: url, api: "anthropic-messages", apiKey: "anything", models };
    writeFileSync(join(folder, "models.json"), JSON.stringify({ providers: { tackle } }));
  },
  invoke({ text, resume, image }) {
    const session = resume ? ["--continue"] : [];
    const picture = image ? [`@${image}`] : [];
    return {
      args: ["--print", "--provider", "tackle", "--model", "stub-1", ...session, ...picture, text],
      env: { PI_OFFLINE: "1" },
    };
  },
  image: "attached",
});
