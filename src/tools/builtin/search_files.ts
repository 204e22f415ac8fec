import { z } from "zod";
import { defineTool } from "../../protocol/define-tool.ts";
import { Failure } from "../../protocol/failure.ts";
import type { ToolOutput } from "../../protocol/tool.ts";

const MOST_PIECES = 8;
const SNIPPET = 200;

export default defineTool({
  name: "search_files",
  description:
    "Searches the text of the project's files. Returns the passages that fit best, each with its file and its place in it. Search before you answer about the project's files, with the few words that the passage would contain, and name file and place in your answer.",
  effect: "read",
  retry: "pure",
  sessionOnly: true,
  input: z.object({
    query: z.string().trim().min(1).max(500).describe("A few words that the passage contains"),
  }),
  async run({ query }, { searchFiles, show, toolCallId }): Promise<ToolOutput> {
    if (!searchFiles) throw new Failure("NOT_FOUND", "This conversation is in no project with files.");
    const began = performance.now();
    const found = await searchFiles(query, MOST_PIECES);
    const searchTimeMs = Math.round(performance.now() - began);
    const sources = found.map(({ name, place, text, url }) => ({
      title: `${name}, ${place}`,
      url,
      snippet: text.replace(/\s+/g, " ").slice(0, SNIPPET),
    }));
    show({ type: "web_search", toolCallId, data: { query, provider: "files", sources, searchTimeMs } });
    const output =
      found.length === 0
        ? `No passage in the project's files fits “${query}”. Try other words.`
        : found.map(({ name, place, text }, at) => `[${at + 1}] ${name}, ${place}:\n${text}`).join("\n\n");
    return {
      output,
      private: true,
      sources: [...new Set(found.map(({ name }) => name))],
      data: { sources },
    };
  },
});
