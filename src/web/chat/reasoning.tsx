import { useState } from "react";
import type { ReasoningState } from "../../protocol/reduce.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { useClock } from "../ui/clock.ts";
import { Icon } from "../ui/icons.tsx";

interface Props {
  reasoning: ReasoningState;
  running: boolean;
  thought: string | undefined;
}

/** The model's reasoning: open while it thinks, one line when it is done. */
export function Reasoning({ reasoning, running, thought }: Props) {
  const thinking = running && !reasoning.complete;
  const [startedAt] = useState(() => Date.now());
  const [chosen, setChosen] = useState<boolean>();
  const now = useClock(thinking);
  const open = chosen ?? thinking;
  const rest = open ? restOf(reasoning) : "";
  const milliseconds = reasoning.durationMs ?? now - startedAt;
  return (
    <section className="reasoning" data-open={open}>
      <Button className="step-line" aria-expanded={open} onClick={() => setChosen(!open)}>
        <Icon name="thought" />
        <span className={`step-name ${thinking ? "shimmer" : ""}`}>
          {titleOf(reasoning, thinking, thought)}
        </span>
        {thinking && <span className="step-time">{Math.round(milliseconds / 1000)} s</span>}
        <Icon name="down" />
      </Button>
      {open && (
        <div className="step-body">
          {reasoning.steps.length > 0 && (
            <ol className="thoughts">
              {reasoning.steps.map((step, index) => (
                <li key={`${index}-${step.title}`} data-phase={step.phase}>
                  <strong>{step.title}</strong>
                  {step.items.length > 0 && (
                    <ul>
                      {step.items.map((item, at) => (
                        <li key={`${at}-${item}`}>{item}</li>
                      ))}
                    </ul>
                  )}
                </li>
              ))}
            </ol>
          )}
          {rest !== "" && <p className="thought-text">{rest}</p>}
        </div>
      )}
    </section>
  );
}

function titleOf({ steps, durationMs }: ReasoningState, thinking: boolean, thought?: string): string {
  if (thinking) return thought ?? steps.at(-1)?.title ?? t("thinking");
  if (durationMs === undefined) return t("thought");
  return t("thoughtFor", { seconds: Math.max(1, Math.round(durationMs / 1000)) });
}

/** Returns the text that the steps do not show yet, without the marks of its headings and points. */
function restOf({ text, steps }: ReasoningState): string {
  const shown = new Set(steps.flatMap(({ title, items }) => [title, ...items]));
  const lines = text.split("\n").map((line) => {
    const bare = line
      .replace(/^\s*(?:#{1,6}|[-*•]|\d{1,2}[.)])\s+/, "")
      .replace(/^\*\*([^*]+)\*\*:?\s*$/, "$1");
    return {
      bare: bare.trim(),
      line: bare === line ? line : line.replace(/^\s*[-*]\s/, "• ").replace(/^#+\s|\*\*/g, ""),
    };
  });
  const first = lines.findIndex(({ bare }) => bare !== "" && !shown.has(bare));
  return first === -1
    ? ""
    : lines
        .slice(first)
        .map(({ line }) => line)
        .join("\n");
}
