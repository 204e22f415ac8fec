import { useState } from "react";
import type { ReasoningState } from "../../protocol/reduce.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { useClock } from "../ui/clock.ts";
import { Icon } from "../ui/icons.tsx";

/** The model's reasoning: open while it thinks, one line when it is done. */
export function Reasoning({ reasoning, running }: { reasoning: ReasoningState; running: boolean }) {
  const thinking = running && !reasoning.complete;
  const [startedAt] = useState(() => Date.now());
  const [chosen, setChosen] = useState<boolean>();
  const now = useClock(thinking);
  const open = chosen ?? thinking;
  const milliseconds = reasoning.durationMs ?? now - startedAt;
  return (
    <section className="reasoning" data-open={open}>
      <Button className="step-line" aria-expanded={open} onClick={() => setChosen(!open)}>
        <Icon name="thought" />
        <span className={`step-name ${thinking ? "shimmer" : ""}`}>{titleOf(reasoning, thinking)}</span>
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
                      {step.items.map((item) => (
                        <li key={item}>{item}</li>
                      ))}
                    </ul>
                  )}
                </li>
              ))}
            </ol>
          )}
          {reasoning.text !== "" && <p className="thought-text">{reasoning.text}</p>}
        </div>
      )}
    </section>
  );
}

function titleOf({ steps, durationMs, text }: ReasoningState, thinking: boolean): string {
  if (thinking) return steps.at(-1)?.title ?? lastHeading(text) ?? t("thinking");
  if (durationMs === undefined) return t("thought");
  return t("thoughtFor", { seconds: Math.max(1, Math.round(durationMs / 1000)) });
}

/** Models often write a bold heading above each part of their reasoning. */
function lastHeading(text: string): string | undefined {
  return [...text.matchAll(/^\*\*(.{3,80}?)\*\*$/gm)].at(-1)?.[1];
}
