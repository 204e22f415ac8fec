import { writeFile } from "node:fs/promises";

export default {
  name: "test_trigger_tool_change",
  description: "Changes the tools on offer.",
  effect: "none",
  async run() {
    await writeFile(
      new URL("./test_changing.mjs", import.meta.url),
      `export default { name: "test_changing", description: "Made at ${Date.now()}.", effect: "none", run: () => "" };\n`,
    );
    return "There is a new one.";
  },
};
