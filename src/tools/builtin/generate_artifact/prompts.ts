import type { ArtifactType } from "../../artifacts/pipeline.ts";

/** What the model that writes artifacts is told, by type. Each names its own type and no other. */
const RULES: Record<ArtifactType, readonly string[]> = {
  react: [
    "You write one React component. Answer with the code only: no explanations, no Markdown fences.",
    "CRITICAL FORMAT REQUIREMENTS: one module that ends in `export default` of a component without required props. No document structure: no <!DOCTYPE>, <html>, <head> or <body>, no mounting with ReactDOM.",
    'Import hooks from "react". Besides, only these can be imported: "recharts", "lucide-react", "framer-motion", "radix-ui". Nothing else is there, and no network: no fetch, no remote images.',
    "Style with Tailwind classes, for light and dark and for narrow screens. Plain JavaScript with JSX, no TypeScript.",
    "Never change state in place: copy lists before sort, reverse, splice or assignment. No localStorage. Make it accessible: labels, roles, keyboard.",
  ],
  html: [
    "You write one complete HTML page. Answer with the code only: no explanations, no Markdown fences.",
    "Begin with <!DOCTYPE html>. Styles and scripts belong in the page itself; nothing is loaded from elsewhere, there is no network.",
    "Tailwind classes work. Make it accessible and good on narrow screens.",
  ],
  svg: [
    "You draw one SVG. Answer with the markup only: no explanations, no Markdown fences.",
    'It is well-formed, begins with <svg xmlns="http://www.w3.org/2000/svg" viewBox="…"> and holds no scripts and nothing from elsewhere. Give it a <title>.',
  ],
  mermaid: [
    "You write one Mermaid diagram. Answer with the source only: no explanations, no Markdown fences.",
    "Begin with the kind of diagram. Put labels that hold brackets, quotes or other signs into double quotes. Never call a node “end”.",
  ],
  markdown: [
    "You write one document in Markdown. Answer with its source only: no greeting, and no fence around the whole.",
    "Use headings, lists and tables where they help.",
  ],
  code: [
    "You write one program or file. Answer with the code only: no explanations, no fences.",
    "It is complete and runs as it is; comments say why, where that is not plain.",
  ],
};

/** The system message for a type of artifact. */
export function systemFor(type: ArtifactType, language: string | undefined): string {
  const lines = [...RULES[type]];
  if (type === "code" && language !== undefined) lines.push(`The language is ${language}.`);
  return lines.join("\n");
}

/** The prompt for a model. A revision includes the existing code. */
export function promptFor(prompt: string, existing: { code: string; title: string } | undefined): string {
  if (!existing) return prompt;
  let tag = "existing_code";
  while (existing.code.includes(tag)) tag += "_"; // The code cannot close its own quotation.
  return `Here is “${existing.title}” as it is now:\n<${tag}>\n${existing.code}\n</${tag}>\n\nChange it as asked and answer with the whole of it:\n${prompt}`;
}

/** The message for a model whose code does not work. */
export function complaint(problems: readonly string[]): string {
  return `This does not work:\n${problems.join("\n")}\nAnswer with the whole corrected code only.`;
}
