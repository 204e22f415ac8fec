import { useState } from "react";
import type { PolicyChange, PolicyPage } from "../../protocol/policy-book.ts";
import type { Effect } from "../../protocol/tool.ts";
import { attempt } from "../state/notices.ts";
import { t } from "../text/rules.ts";
import { WarningLine } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { Select } from "../ui/select.tsx";
import { EFFECT_WORDS, warningIn, warningWords } from "./rule-words.ts";

const EFFECTS: readonly Effect[] = ["none", "read", "network", "write"];
const ACTIONS = {
  allow: "action_allow",
  ask: "action_ask",
  deny: "action_deny",
  "ask-unless-said": "action_askUnlessSaid",
} as const;
type Action = keyof typeof ACTIONS;

interface Props {
  page: PolicyPage;
  onSave(changed: PolicyChange["default"], despiteWarnings: boolean): Promise<void>;
}

/** What happens to calls that no rule fits, by what they do. A choice that allows much is saved after a second look. */
export function DefaultRules({ page, onSave }: Props) {
  const [doubt, setDoubt] = useState<{ effect: Effect; action: Action; warning: string }>();

  async function save(effect: Effect, action: Action, despiteWarnings = false): Promise<void> {
    setDoubt(undefined);
    try {
      await onSave({ [effect]: action }, despiteWarnings);
    } catch (error) {
      setDoubt({ effect, action, warning: warningIn(error) });
    }
  }

  return (
    <>
      <h4>{t("ruleOfDefault")}</h4>
      <ul className="settings-rows default-rules">
        {EFFECTS.map((effect) => {
          const chosen = doubt?.effect === effect ? doubt.action : page.default[effect];
          const name = capitalized(t(EFFECT_WORDS[effect]));
          const actions = Object.keys(ACTIONS) as Action[];
          return (
            <li key={effect}>
              <div className="grow">
                {name}
                {effect === "write" &&
                  !doubt &&
                  page.warnings.map((warning) => (
                    <WarningLine key={warning.message}>{warningWords([warning])}</WarningLine>
                  ))}
                {doubt?.effect === effect && (
                  <>
                    <WarningLine>{doubt.warning}</WarningLine>
                    <p className="choices">
                      <Button onClick={() => void attempt(() => save(effect, doubt.action, true))}>
                        {t("saveRuleAnyway")}
                      </Button>
                      <Button className="quiet" onClick={() => setDoubt(undefined)}>
                        {t("cancel")}
                      </Button>
                    </p>
                  </>
                )}
              </div>
              {page.from === "program" ? (
                <span className="hint">{t(ACTIONS[chosen])}</span>
              ) : (
                <Select
                  aria-label={name}
                  value={chosen}
                  options={actions
                    .filter((action) => action !== "ask-unless-said" || effect === "write")
                    .map((value) => ({ value, text: t(ACTIONS[value]) }))}
                  onChoose={(action) => void attempt(() => save(effect, action))}
                />
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}
