import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineAgent } from "./agent.ts";

export const continueCli = defineAgent({
  name: "continue",
  title: "Continue",
  packages: ["@continuedev/cli"],
  door: "Chat Completions",
  program: ".bin/cn",
  prepare({ home, url }) {
    const config = `name: clients
version: 1.0.0
schema: v1
models:
  - name: stub
    provider: openai
    model: stub-1
    apiBase: ${url}/v1/
    apiKey: anything
    capabilities: [tool_use, image_input]
`;
    writeFileSync(join(home, "config.yaml"), config);
  },
  invoke({ text, resume }, { home }) {
    const flags = ["--config", join(home, "config.yaml"), "--auto", ...(resume ? ["--resume"] : [])];
    return {
      args: [...flags, "-p", text],
      env: {
        CONTINUE_TELEMETRY_ENABLED: "0",
        CONTINUE_CLI_DISABLE_UPDATES: "1",
        CONTINUE_GLOBAL_DIR: join(home, ".continue"),
      },
    };
  },
  image: { cannot: "its commands take no pictures, and its tools read text only" },
});
