import { writeFile } from "node:fs/promises";

export default {
  name: "test_trigger_prompt_change",
  description: "Changes the prompts on offer.",
  effect: "none",
  async run() {
    await writeFile(
      new URL("../prompts/test_changing.md", import.meta.url),
      `---\ndescription: Made at ${Date.now()}.\n---\nHello.\n`,
    );
    return "There is a new one.";
  },
};
