import type { ReasoningState } from "../../protocol/reduce.ts";

/** What the model thought: its steps, and the text that is none of them. */
export function Thoughts({ reasoning }: { reasoning: ReasoningState }) {
  const [first, ...others] = reasoning.steps;
  // A single thought is no list.
  const isList =
    first !== undefined && (others.length > 0 || first.items.length > 0 || reasoning.text === "");
  const rest = isList ? restOf(reasoning) : reasoning.text;
  return (
    <>
      {isList && (
        <ol className="thoughts">
          {reasoning.steps.map((step, index) => (
            <li key={`${index}-${step.title}`} data-phase={step.phase}>
              <strong dir="auto">{step.title}</strong>
              {step.items.length > 0 && (
                <ul>
                  {step.items.map((item, at) => (
                    <li key={`${at}-${item}`}>
                      <span dir="auto">{item}</span>
                    </li>
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ol>
      )}
      {rest !== "" && (
        <p className="thought-text" dir="auto">
          {rest}
        </p>
      )}
    </>
  );
}

/** Returns the text that the steps do not show yet, without the marks of its headings and points. */
function restOf({ text, steps }: ReasoningState): string {
  const shown = new Set(steps.flatMap(({ title, items }) => [title, ...items]).map(bareSentence));
  const lines = text.split("\n").map((line) => {
    const bare = line
      .replace(/^\s*(?:#{1,6}|[-*•]|\d{1,2}[.)])\s+/, "")
      .replace(/^\*\*([^*]+)\*\*:?\s*$/, "$1");
    return {
      bare: bare.trim(),
      line: bare === line ? line : line.replace(/^\s*[-*]\s/, "• ").replace(/^#+\s|\*\*/g, ""),
    };
  });
  const isShown = (line: string) =>
    shown.has(bareSentence(line)) || sentencesOf(line).every((one) => shown.has(bareSentence(one)));
  const first = lines.findIndex(({ bare }) => bare !== "" && !isShown(bare));
  return first === -1
    ? ""
    : lines
        .slice(first)
        .map(({ line }) => line)
        .join("\n");
}

/** Steps are made from sentences, without what ends them. */
function sentencesOf(line: string): string[] {
  return line.split(/(?<=[.!?。！？])\s*/).filter((one) => one.trim() !== "");
}

function bareSentence(text: string): string {
  return text
    .trim()
    .replace(/(?<![.!?:…。！？])[.!?:…。！？]+$/, "")
    .toLowerCase();
}
