import { HELLO, verdict } from "../model/scenes.ts";
import { run } from "../process.ts";
import { defineAgent } from "./agent.ts";

export const cline = defineAgent({
  name: "cline",
  title: "Cline",
  packages: ["cline"],
  door: "Chat Completions",
  program: ".bin/cline",
  async prepare({ home, work, url }, command) {
    const args = ["auth", "openai-compatible", "-k", "anything", "-m", "stub-1", "-b", `${url}/v1`];
    await run({ command, args, cwd: work, home });
  },
  async invoke({ text, resume }, { home, work }, command) {
    if (!resume) return { args: [text] };
    const { stdout } = await run({ command, args: ["history", "--json"], cwd: work, home });
    const id = /"(?:sessionId|id)":\s*"([^"]+)"/.exec(stdout)?.[1] ?? "";
    // It resumes in its full-screen mode only.
    const terminal = { ready: HELLO, text, until: verdict(text.includes("remember") ? "remember" : "shell") };
    return { args: ["--id", id], env: { TERM: "xterm-256color" }, terminal };
  },
  image: "tool",
});
