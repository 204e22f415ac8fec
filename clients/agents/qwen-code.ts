import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineAgent } from "./agent.ts";

export const qwenCode = defineAgent({
  name: "qwen-code",
  title: "Qwen Code",
  packages: ["@qwen-code/qwen-code"],
  door: "Chat Completions",
  program: ".bin/qwen",
  prepare({ home }) {
    mkdirSync(join(home, ".qwen"));
    const settings = { model: { generationConfig: { modalities: { image: true } } } };
    writeFileSync(join(home, ".qwen/settings.json"), JSON.stringify(settings));
  },
  invoke({ text, resume, image }, { url }) {
    const prompt = image ? `${text} @picture.png` : text;
    const flags = ["--yolo", "--auth-type", "openai", ...(resume ? ["--continue"] : [])];
    return {
      args: [...flags, "-p", prompt],
      env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "anything", OPENAI_MODEL: "stub-1" },
    };
  },
  image: "attached",
});
