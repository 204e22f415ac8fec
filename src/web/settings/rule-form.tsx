import { useState } from "react";
import { isObject } from "../../protocol/json.ts";
import type { PolicyRule } from "../../protocol/policy-book.ts";
import { person } from "../state/person.ts";
import { t } from "../text/rules.ts";
import { WarningLine } from "../ui/alert.tsx";
import { Button } from "../ui/button.tsx";
import { Field, useForm } from "../ui/form.tsx";
import { Select } from "../ui/select.tsx";
import { argumentLabel } from "./argument-names.ts";
import {
  EFFECT_WORDS,
  type MatchKind,
  patternOf,
  readPattern,
  toolOptions,
  warningIn,
} from "./rule-words.ts";

const ANY = "";

interface Props {
  rule: PolicyRule | undefined;
  onSave(rule: PolicyRule, despiteWarnings: boolean): Promise<void>;
  onCancel(): void;
}

/** Makes or changes a rule. What it would allow more than it seems to is said before it is saved. */
export function RuleForm({ rule, onSave, onCancel }: Props) {
  const tools = person((state) => state.tools);
  const [argument = "", pattern = ""] = Object.entries(rule?.match ?? {})[0] ?? [];
  const read = pattern === "" ? { kind: "Is" as const, text: "" } : readPattern(pattern);
  const [action, setAction] = useState<PolicyRule["action"]>(rule?.action ?? "ask");
  const [tool, setTool] = useState(rule?.tool ?? ANY);
  const [effect, setEffect] = useState<string>(rule?.effect ?? ANY);
  const [name, setName] = useState(argument);
  const [kind, setKind] = useState<MatchKind>(read.kind);
  const [warning, setWarning] = useState("");
  const { problem, busy, submit } = useForm(async (field) => {
    const others = Object.entries(rule?.match ?? {}).slice(1);
    const match = {
      ...(name === ANY ? {} : { [name]: patternOf(kind, field("text")) }),
      ...Object.fromEntries(others),
    };
    const made = {
      ...(tool === ANY ? {} : { tool }),
      ...(effect === ANY ? {} : { effect: effect as NonNullable<PolicyRule["effect"]> }),
      ...(Object.keys(match).length === 0 ? {} : { match }),
      action,
    };
    try {
      await onSave(made, warning !== "");
    } catch (error) {
      setWarning(warningIn(error));
    }
  });
  const known = [...new Set([...(tool === ANY ? [] : [tool]), ...tools.map((one) => one.name)])];
  return (
    <form
      className="source-form prompt-form rule-form"
      onSubmit={submit}
      // What was entered stays while the person reads the warning.
      onReset={(event) => event.preventDefault()}
      onChange={() => setWarning("")}
    >
      <Select
        label={t("ruleAction")}
        value={action}
        options={(["allow", "ask", "deny"] as const).map((value) => ({ value, text: t(`action_${value}`) }))}
        onChoose={(chosen) => setAction(chosen)}
      />
      <Select
        label={t("ruleTool")}
        value={tool}
        options={[{ value: ANY, text: t("whatAny") }, ...toolOptions(known)]}
        onChoose={(chosen) => {
          setTool(chosen);
          setName(ANY);
        }}
      />
      <Select
        label={t("ruleEffect")}
        value={effect}
        options={[
          { value: ANY, text: t("whatEver") },
          ...(["none", "read", "network", "write"] as const).map((value) => ({
            value: value as string,
            text: t(EFFECT_WORDS[value]),
          })),
        ]}
        onChoose={(chosen) => setEffect(chosen)}
      />
      <Condition
        tool={tool}
        names={[argument, ...textArguments(tools.find((one) => one.name === tool)?.parameters)]}
        name={name}
        onName={setName}
        kind={kind}
        onKind={setKind}
        text={read.text}
      />
      {warning !== "" && <WarningLine>{warning}</WarningLine>}
      {problem}
      <p className="choices">
        <button type="submit" className="primary" disabled={busy}>
          {t(warning === "" ? "saveRule" : "saveRuleAnyway")}
        </button>
        <Button className="quiet" onClick={onCancel}>
          {t("cancel")}
        </Button>
      </p>
    </form>
  );
}

interface ConditionProps {
  tool: string;
  names: string[];
  name: string;
  onName(name: string): void;
  kind: MatchKind;
  onKind(kind: MatchKind): void;
  text: string;
}

/** What a part of the call has to be. */
function Condition({ tool, names, name, onName, kind, onKind, text }: ConditionProps) {
  return (
    <>
      <Select
        label={t("rulePart")}
        value={name}
        options={[
          { value: ANY, text: t("noPart") },
          ...[...new Set(names)]
            .filter((value) => value !== ANY)
            .map((value) => ({ value, text: argumentLabel(tool, value) })),
        ]}
        onChoose={(chosen) => onName(chosen)}
      />
      {name !== ANY && (
        <>
          <Select
            label={t("ruleHow")}
            value={kind}
            options={(["Is", "Begins", "Contains", "Matches"] as const).map((value) => ({
              value,
              text: t(`how${value}`),
            }))}
            onChoose={(chosen) => onKind(chosen)}
          />
          <Field label={t("ruleText")} name="text" required maxLength={900} defaultValue={text} />
        </>
      )}
    </>
  );
}

/** The parameters of a tool that take a text. */
function textArguments(parameters: unknown): string[] {
  const properties = isObject(parameters) && isObject(parameters.properties) ? parameters.properties : {};
  return Object.entries(properties)
    .filter(([, schema]) => isObject(schema) && (schema.type === "string" || Array.isArray(schema.enum)))
    .map(([name]) => name);
}
