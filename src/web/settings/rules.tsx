import { useState } from "react";
import type { PolicyPage, PolicyRule } from "../../protocol/policy-book.ts";
import { attempt, notify } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/rules.ts";
import { WarningLine } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { useRoute } from "../ui/loaded.ts";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { DefaultRules } from "./default-rules.tsx";
import { RuleForm } from "./rule-form.tsx";
import { RuleTester } from "./rule-tester.tsx";
import { ruleSentence, warningWords } from "./rule-words.ts";

/** The rules about what may run without asking, in words: to read, try and change. */
export function Rules() {
  const [turn, setTurn] = useState(0);
  const page = useRoute<PolicyPage>("/admin/policy", turn);
  const [open, setOpen] = useState<number>();
  if (!page) return null;
  const { rules, revision, from, tests } = page;
  const plain = rules.map(({ warnings: _, ...rule }) => rule);
  const reload = () => {
    setOpen(undefined);
    setTurn(turn + 1);
  };

  async function save(next: PolicyRule[], despiteWarnings = false): Promise<void> {
    await ask("PUT", "/admin/policy", { revision, rules: next, despiteWarnings });
    reload();
  }

  const form = (at: number) => (
    <RuleForm
      rule={plain[at]}
      onSave={async (rule, despite) => {
        await save([...plain.slice(0, at), rule, ...plain.slice(at + 1)], despite);
        notify({ text: t("ruleSaved") });
      }}
      onCancel={() => setOpen(undefined)}
    />
  );
  const failed = tests.filter(({ expected, said }) => expected !== said);
  return (
    <section data-part="rules">
      <h4>{t("rules")}</h4>
      <p className="hint">
        {t(from === "program" ? "rulesOfProgram" : rules.length === 0 ? "noRules" : "rulesHint")}
      </p>
      <ol className="settings-rows rules">
        {rules.map(({ warnings, ...rule }, at) => (
          <li key={`${at} ${JSON.stringify(rule)}`}>
            <span className="rule-number">{at + 1}</span>
            <div className="grow">
              {open === at ? form(at) : ruleSentence(rule)}
              {warnings.map((warning) => (
                <WarningLine key={warning.message}>{warningWords([warning])}</WarningLine>
              ))}
            </div>
            {from !== "program" && (
              <Menu
                label={t("actionsForRule", { number: at + 1 })}
                items={actionsFor(plain, at, { edit: setOpen, save })}
              >
                <Icon name="more" />
              </Menu>
            )}
          </li>
        ))}
      </ol>
      {failed.map(({ tool, expected, said = "–" }) => (
        <WarningLine key={`${tool} ${expected}`}>{t("ruleTestFails", { tool, expected, said })}</WarningLine>
      ))}
      {open === rules.length && form(rules.length)}
      {from !== "program" && open === undefined && (
        <p className="vendor-chips">
          <Button onClick={() => setOpen(rules.length)}>
            <Icon name="plus" size="tiny" />
            {t("addRule")}
          </Button>
        </p>
      )}
      <DefaultRules
        page={page}
        onSave={async (changed, despiteWarnings) => {
          await ask("PUT", "/admin/policy", { revision, rules: plain, default: changed, despiteWarnings });
          notify({ text: t("ruleSaved") });
          reload();
        }}
      />
      <RuleTester page={page} />
    </section>
  );
}

interface Acts {
  edit(at: number): void;
  save(next: PolicyRule[], despiteWarnings?: boolean): Promise<void>;
}

function actionsFor(rules: PolicyRule[], at: number, { edit, save }: Acts): MenuItem[] {
  const rule = rules[at];
  const others = rules.filter((_, index) => index !== at);
  const run = (next: PolicyRule[], done?: string) =>
    void attempt(async () => {
      await save(next);
      if (done !== undefined) notify({ text: done });
    });
  return [
    { label: t("changeRule"), icon: "edit", run: () => edit(at) },
    ...(at > 0 && rule
      ? [
          {
            label: t("ruleEarlier"),
            run: () => run([...others.slice(0, at - 1), rule, ...others.slice(at - 1)]),
          },
        ]
      : []),
    {
      label: t("remove"),
      icon: "trash",
      danger: true,
      apart: true,
      run: () => run(others, t("ruleRemoved")),
    },
  ];
}
