import { type FormEvent, type KeyboardEvent, useId, useState } from "react";
import type { ToolCallState } from "../../protocol/reduce.ts";
import { answerQuestion } from "../state/live-run.ts";
import { attempt } from "../state/notices.ts";
import { LONGEST_ANSWER } from "../state/open-question.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";

interface Props {
  toolCallId: string;
  question: NonNullable<ToolCallState["question"]>;
}

/** Asks the person what the model or a tool wants to know: options to choose from, and a field for own words. */
export function Question({
  toolCallId,
  question: { question, options = [], optionDetails = [], multiple, default: fallback },
}: Props) {
  const [sent, setSent] = useState(false);
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const [other, setOther] = useState(options.length === 0);
  const name = useId();
  const own = other && text.trim() !== "" ? [text.trim()] : [];
  const answers = [...chosen, ...own];

  async function send(answer: string | string[]): Promise<void> {
    setSent(true);
    if (!(await attempt(() => answerQuestion(toolCallId, answer)))) setSent(false);
  }

  function choose(option: string, on = true): void {
    const others = multiple ? chosen.filter((one) => one !== option) : [];
    setChosen(on ? [...others, option] : others);
    if (!multiple) setOther(false);
  }

  function chooseOther(on = true): void {
    setOther(on);
    if (!multiple) setChosen([]);
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (answers.length > 0) void send(multiple ? answers : (answers[0] ?? ""));
  }

  function onKeyDown(event: KeyboardEvent): void {
    const at = Number(event.key) - 1;
    if (event.target instanceof HTMLInputElement && event.target.type === "text") return;
    if (!Number.isInteger(at) || at < 0 || at > options.length || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const option = options[at];
    if (option === undefined) chooseOther(!(multiple && other));
    else choose(option, !(multiple && chosen.includes(option)));
  }

  const kind = multiple ? "checkbox" : "radio";
  return (
    <form onSubmit={submit} onKeyDown={onKeyDown}>
      <fieldset className="question" data-part="question" disabled={sent}>
        <legend dir="auto">{question}</legend>
        {options.map((option, index) => (
          <label key={option} className="option" data-chosen={chosen.includes(option)}>
            <input
              type={kind}
              name={name}
              checked={chosen.includes(option)}
              onChange={({ target }) => choose(option, target.checked)}
            />
            <span dir="auto">
              {option}
              {optionDetails[index] && <small>{optionDetails[index]}</small>}
            </span>
            <kbd>{index + 1}</kbd>
          </label>
        ))}
        {options.length > 0 && (
          <label className="option" data-chosen={other}>
            <input
              type={kind}
              name={name}
              checked={other}
              onChange={({ target }) => chooseOther(target.checked)}
            />
            <span className="other">{t("somethingElse")}</span>
            <kbd>{options.length + 1}</kbd>
          </label>
        )}
        {other && (
          <input
            type="text"
            className="own-answer"
            aria-label={t(options.length > 0 ? "somethingElse" : "ownAnswer")}
            placeholder={t(options.length > 0 ? "somethingElse" : "ownAnswer")}
            maxLength={LONGEST_ANSWER}
            value={text}
            autoFocus={options.length > 0}
            onChange={({ target }) => setText(target.value)}
          />
        )}
        <div className="choices">
          <button type="submit" className="primary" disabled={answers.length === 0}>
            {t("sendAnswer")}
          </button>
          <Button className="quiet let-decide" onClick={() => send(fallback ?? t("letDecideAnswer"))}>
            {t("letDecide")}
          </Button>
        </div>
        {fallback !== undefined && <p className="hint">{t("defaultAnswer", { answer: fallback })}</p>}
      </fieldset>
    </form>
  );
}
