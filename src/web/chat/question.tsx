import { type FormEvent, useState } from "react";
import type { ToolCallState } from "../../protocol/reduce.ts";
import { answerQuestion } from "../state/live-run.ts";
import { attempt } from "../state/notices.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";

interface Props {
  toolCallId: string;
  question: NonNullable<ToolCallState["question"]>;
}

/** Asks the person what the model or a tool wants to know: options to choose from, and a field for own words. */
export function Question({
  toolCallId,
  question: { question, options = [], multiple, default: fallback },
}: Props) {
  const [sent, setSent] = useState(false);
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const own = text.trim() === "" ? [] : [text.trim()];

  async function send(answer: string | string[]): Promise<void> {
    setSent(true);
    if (!(await attempt(() => answerQuestion(toolCallId, answer)))) setSent(false);
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    const answers = [...chosen, ...own];
    if (answers.length > 0) void send(multiple ? answers : (answers[0] ?? ""));
  }

  return (
    <form onSubmit={submit}>
      <fieldset className="question" data-part="question" disabled={sent}>
        <legend>
          <Icon name="edit" /> {question}
        </legend>
        {options.length > 0 && (
          <div className="choices">
            {options.map((option) =>
              multiple ? (
                <label key={option}>
                  <input
                    type="checkbox"
                    checked={chosen.includes(option)}
                    onChange={({ target }) =>
                      setChosen(target.checked ? [...chosen, option] : chosen.filter((one) => one !== option))
                    }
                  />
                  {option}
                </label>
              ) : (
                <Button key={option} onClick={() => send(option)}>
                  {option}
                </Button>
              ),
            )}
          </div>
        )}
        <div className="choices">
          <input
            type="text"
            className="own-answer"
            aria-label={t("ownAnswer")}
            placeholder={t("ownAnswer")}
            maxLength={10_000}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <button type="submit" className="primary" disabled={own.length + chosen.length === 0}>
            {t("sendAnswer")}
          </button>
        </div>
        {fallback !== undefined && <p className="hint">{t("defaultAnswer", { answer: fallback })}</p>}
      </fieldset>
    </form>
  );
}
