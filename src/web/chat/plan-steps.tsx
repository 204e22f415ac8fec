import { type ReactNode, useState } from "react";
import { isObject, parseJson } from "../../protocol/json.ts";
import type { LearnedTarget, PlanStep, ShownPlan } from "../../protocol/plan.ts";
import { laterText, valueText } from "../../protocol/plan-text.ts";
import { visibleLine } from "../../protocol/visible-text.ts";
import { reasonWords } from "../text/reasons.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";

type Shown = ShownPlan["steps"][number];

/** The steps of a plan, which the person may strike and change. `edited`: what they left, if that is not what was proposed. */
export function usePlan(
  plan: ShownPlan | undefined,
): { list: ReactNode; edited: PlanStep[] | undefined } | undefined {
  const [steps, setSteps] = useState(() => plan?.steps.map((step) => ({ step, kept: true })) ?? []);
  if (!plan) return undefined;
  const change = (at: number, to: Partial<(typeof steps)[number]>) =>
    setSteps(steps.map((one, index) => (index === at ? { ...one, ...to } : one)));
  const isEdited = steps.some(({ step, kept }, index) => !kept || step !== plan.steps[index]);
  const left = steps.flatMap(({ step: { tool, targets, why, times }, kept }) =>
    kept ? [{ tool, targets, why, times }] : [],
  );
  const list = (
    <ol className="plan">
      {steps.map(({ step, kept }, index) => (
        <li key={index} data-struck={kept ? undefined : true}>
          <Step
            step={step}
            number={index + 1}
            kept={kept}
            onKeep={(now) => change(index, { kept: now })}
            onChange={(targets) => change(index, { step: { ...step, targets }, kept: true })}
          />
        </li>
      ))}
    </ol>
  );
  return { list, edited: isEdited ? left : undefined };
}

interface StepProps {
  step: Shown;
  number: number;
  kept: boolean;
  onKeep(kept: boolean): void;
  onChange(targets: unknown): void;
}

function Step({ step, number, kept, onKeep, onChange }: StepProps) {
  const [editing, setEditing] = useState(false);
  const { tool, targets, why, times = 1, later, learned = [], excluded } = step;
  const values = isObject(targets)
    ? Object.entries(targets)
    : [targets].flat().map((value, at): [string, unknown] => [String(at), value]);
  const replace = (name: string, value: unknown) => {
    if (isObject(targets)) onChange({ ...targets, [name]: value });
    else onChange(values.map(([key, old]) => (key === name ? value : old)));
  };
  return (
    <>
      <label className="step">
        <input type="checkbox" checked={kept} onChange={({ target }) => onKeep(target.checked)} />
        <strong>{t("planStep", { number, tool: visibleLine(tool) })}</strong>
        {times > 1 && <span>{t("planTimes", { count: times })}</span>}
      </label>
      <dl>
        {values.map(([name, value]) => (
          <div key={name}>
            {isObject(targets) && <dt>{visibleLine(name)}</dt>}
            <dd>
              {editing ? (
                <input
                  aria-label={visibleLine(name)}
                  defaultValue={typeof value === "string" ? value : JSON.stringify(value)}
                  maxLength={4000}
                  onChange={(event) => replace(name, valueFrom(event.target.value, value))}
                />
              ) : (
                <code>{valueText(value)}</code>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {why && <p>{visibleLine(why)}</p>}
      {later && <p className="hint">{t("planLater", { names: laterText(later) })}</p>}
      {learned.map((one) => (
        <p key={one.name} className="hint">
          {learnedWords(one, times)}
        </p>
      ))}
      {excluded && (
        <p className="hint">
          {t("planExcluded", { reason: reasonWords({ reason: excluded, because: step.because }) })}
        </p>
      )}
      {!editing && values.length > 0 && <Button onClick={() => setEditing(true)}>{t("planChange")}</Button>}
    </>
  );
}

function learnedWords({ name, field, from, with: words, open }: LearnedTarget, times: number): string {
  const names = { name: visibleLine(name), field: visibleLine(field), from: visibleLine(from.join(", ")) };
  const where = words === undefined ? "" : `, ${t("planLearnedWhere", { words: visibleLine(words) })}`;
  const risk = open ? ` ${t("planLearnedOpen")}` : "";
  return `${t(times > 1 ? "planLearnedEach" : "planLearned", names)}${where}.${risk}`;
}

/** What was text stays text; anything else is read as JSON. */
function valueFrom(typed: string, before: unknown): unknown {
  return typeof before === "string" ? typed : (parseJson(typed) ?? typed);
}
