import { subjectOf, titleOf } from "./subject.ts";
import type { ArtifactTemplate } from "./template.ts";

const TURN = `flowchart TD
    person([You ask]) --> model{Needs a tool?}
    model -- no --> answer([Answer])
    model -- yes --> guard[Check the call]
    guard --> approval{Changes something?}
    approval -- yes --> ask[Ask you first]
    approval -- no --> run[Run the tool]
    ask -- allowed --> run
    ask -- denied --> model
    run --> result[Result]
    result --> model
`;

const SEQUENCE = `sequenceDiagram
    participant You
    participant Tackle
    participant Model
    participant Tool
    You->>Tackle: What time is it in Tokyo?
    Tackle->>Model: the question and the tools
    Model-->>Tackle: call get_time(Asia/Tokyo)
    Tackle->>Tool: run, behind the guard
    Tool-->>Tackle: 21:04
    Tackle->>Model: the result
    Model-->>Tackle: It is 21:04 in Tokyo.
    Tackle-->>You: the answer, as it is written
`;

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
  const subject = subjectOf(request.replace(/\bflow\s?chart\b|\bdiagram\b/gi, "diagram"));
  if (/\bsequence\b/i.test(request))
    return { type: "mermaid" as const, title: "Sequence of one question", code: SEQUENCE };
  const steps = stepsIn(subject);
  if (steps.length === 0) {
    const aboutUs =
      subject === "" || /\btool|loop|call|tackle|agent|how (?:you|it|this) works?\b/i.test(subject);
    if (aboutUs) return { type: "mermaid" as const, title: "How a question is answered", code: TURN };
    return { type: "mermaid" as const, title: titleOf(subject), code: improvement(titleOf(subject)) };
  }
  const lines = steps.map((step, index) => `    step${index}["${label(titleOf(step))}"]`);
  const arrows = steps.slice(1).map((_, index) => `    step${index} --> step${index + 1}`);
  return {
    type: "mermaid" as const,
    title: titleOf(`${steps[0]} to ${steps.at(-1)}`),
    code: `flowchart LR\n${[...lines, ...arrows].join("\n")}\n`,
  };
}

function improvement(title: string): string {
  return `flowchart TD
    start([Start]) --> prepare["Prepare: ${label(title)}"]
    prepare --> work[Do the work]
    work --> check{Good enough?}
    check -- not yet --> improve[Improve]
    improve --> work
    check -- yes --> done([Done])
`;
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
