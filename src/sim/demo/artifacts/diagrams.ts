import { fillSample } from "./samples.ts";
import { subjectOf, titleOf } from "./subject.ts";
import type { ArtifactTemplate } from "./template.ts";

/** Returns the steps that the request lists with arrows or commas, if there are at least two. */
function stepsIn(subject: string): string[] {
  const separator = /->|→|=>/.test(subject) ? /\s*(?:-+>|→|=>)\s*/ : /\s*,\s*(?:and\s+|then\s+)?|\s+then\s+/;
  const steps = subject
    .split(separator)
    .map((step) => step.trim())
    .filter(Boolean);
  return steps.length > 1 ? steps.slice(0, 20) : [];
}

function write(request: string) {
  const diagram = (title: string, code: string) => ({ type: "mermaid" as const, title, code });
  if (/\bsequence\b/i.test(request)) return diagram("Sequence of one question", fillSample("sequence.mmd"));
  const subject = subjectOf(request.replace(/\bflow\s?chart\b|\bdiagram\b/gi, "diagram"));
  const steps = stepsIn(subject);
  if (steps.length === 0) {
    const aboutUs =
      subject === "" || /\btool|loop|call|tackle|agent|how (?:you|it|this) works?\b/i.test(subject);
    if (aboutUs) return diagram("How a question is answered", fillSample("turn.mmd"));
    const title = titleOf(subject);
    return diagram(title, fillSample("process.mmd", { TITLE: label(title) }));
  }
  const lines = steps.map((step, index) => `    step${index}["${label(titleOf(step))}"]`);
  const arrows = steps.slice(1).map((_, index) => `    step${index} --> step${index + 1}`);
  return diagram(
    titleOf(`${steps[0]} to ${steps.at(-1)}`),
    `flowchart LR\n${[...lines, ...arrows].join("\n")}\n`,
  );
}

/** Mermaid reads these characters as syntax, even inside quotes. */
function label(text: string): string {
  return text
    .replace(/["[\]{}()<>#;|`]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

export const diagram: ArtifactTemplate = {
  words: /\b(?:flow\s?charts?|diagrams?|mermaid|sequence)\b/i,
  write,
};
