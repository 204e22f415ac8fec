import { useState } from "react";
import type { PolicyAnswer, PolicyPage } from "../../protocol/policy-book.ts";
import { person } from "../state/person.ts";
import { ask } from "../state/server.ts";
import { reasonWords } from "../text/reasons.ts";
import { t } from "../text/rules.ts";
import { useForm } from "../ui/form.tsx";
import { Select } from "../ui/select.tsx";
import { ArgumentFields, argumentsFrom } from "./argument-fields.tsx";
import { toolOptions } from "./rule-words.ts";

const ANSWERS = { allow: "answerAllow", ask: "answerAsk", deny: "answerDeny" } as const;

/** Says what the rules decide about a call. Nothing is run. */
export function RuleTester({ page }: { page: PolicyPage }) {
  const tools = person((state) => state.tools);
  const [name, setName] = useState("execute_command");
  const tool = tools.find((one) => one.name === name) ?? tools[0];
  const [answer, setAnswer] = useState<{ about: PolicyPage; said: PolicyAnswer }>();
  const { problem, busy, submit } = useForm(async (field) => {
    if (!tool) return;
    setAnswer(undefined);
    const question = { tool: tool.name, arguments: argumentsFrom(tool.name, tool.parameters, field) };
    setAnswer({ about: page, said: await ask<PolicyAnswer>("POST", "/admin/policy/test", question) });
  });
  if (!tool) return null;
  const said = answer?.about === page ? answer.said : undefined;
  return (
    <>
      <h4>{t("tryCall")}</h4>
      <form
        className="source-form prompt-form rule-form"
        onSubmit={submit}
        onReset={(event) => event.preventDefault()}
      >
        <Select
          label={t("ruleTool")}
          value={tool.name}
          options={toolOptions(tools.map((one) => one.name))}
          onChoose={(chosen) => {
            setName(chosen);
            setAnswer(undefined);
          }}
        />
        <ArgumentFields key={tool.name} tool={tool.name} parameters={tool.parameters} />
        {problem}
        <p className="choices">
          <button type="submit" disabled={busy}>
            {t("tryIt")}
          </button>
        </p>
        <p role="status" className="rule-answer">
          {said && <b>{t(ANSWERS[said.action])}</b>} {said && reasonOf(said)}
        </p>
      </form>
    </>
  );
}

function reasonOf(answer: PolicyAnswer): string {
  const { rule, despiteRules } = answer;
  if (despiteRules) return t("despiteRules", { reason: reasonWords(answer) });
  return rule === undefined ? t("byDefault") : t("byRule", { number: rule + 1 });
}
