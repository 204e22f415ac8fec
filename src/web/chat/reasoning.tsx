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
          {reasoning.text !== "" && <p className="thought-text">{reasoning.text}</p>}
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
