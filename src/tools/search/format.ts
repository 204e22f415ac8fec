import type { Source } from "../../protocol/events.ts";

/** Formats results for the model, numbered for citations. */
export function formatSources(query: string, sources: readonly Source[], hint: string): string {
  const head = `WEB SEARCH RESULTS\nQuery: ${query.replace(/\s+/g, " ")}`;
  if (sources.length === 0) return `${head}\n\nNo results were found. ${hint}`;
  const blocks = sources.map(({ title, url, snippet }, index) =>
    [`Source ${index + 1}: ${title}`, `URL: ${url}`, snippet].filter((line) => line !== "").join("\n"),
  );
  return [head, ...blocks, "Cite what you use by its number, as in [1]."].join("\n\n");
}
