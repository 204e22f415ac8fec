import { goToProject } from "../shell/address.ts";
import { chooseAnswering, useAnswering, useProjectAnswering } from "../state/answering.ts";
import { openProject } from "../state/project-defaults.ts";
import { t } from "../text/choosing.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { NumberField } from "../ui/number-field.tsx";
import { Select } from "../ui/select.tsx";

const LEVELS = ["low", "medium", "high"] as const;
const NUMBERS = [
  { name: "temperature", label: "answerTemperature", min: 0, max: 2, step: 0.1 },
  { name: "topP", label: "answerTopP", min: 0, max: 1, step: 0.05 },
  { name: "maxOutputTokens", label: "answerLongest", min: 1, max: 1_000_000, step: 1 },
] as const;

/** How the open conversation is answered: effort, length and how freely. What it leaves open is up to its project. */
export function AnswerDialog({ onClose }: { onClose(): void }) {
  const chosen = useAnswering();
  const inherited = useProjectAnswering();
  const project = openProject((state) => state.project);
  const usual = (text: string | undefined) => ({
    value: "",
    text: text === undefined ? t("asModel") : t("fromProject", { value: text }),
  });
  const effortText = (value: string) => {
    const level = LEVELS.find((one) => one === value);
    return level ? t(`answerEffort_${level}`) : value;
  };
  const efforts = [...new Set([...LEVELS, ...(chosen.effort ? [chosen.effort] : [])])];
  return (
    <Dialog title={t("answering")} onClose={onClose} className="narrow">
      <div className="fields">
        <Select<string>
          label={t("answerEffort")}
          value={chosen.effort ?? ""}
          options={[
            usual(inherited.effort && effortText(inherited.effort)),
            ...efforts.map((value) => ({ value, text: effortText(value) })),
          ]}
          onChoose={(value) => chooseAnswering({ effort: efforts.find((one) => one === value) })}
        />
        <Select<string>
          label={t("answerLength")}
          value={chosen.verbosity ?? ""}
          options={[
            usual(inherited.verbosity && t(`length_${inherited.verbosity}`)),
            ...LEVELS.map((value) => ({ value, text: t(`length_${value}`) })),
          ]}
          onChoose={(value) => chooseAnswering({ verbosity: LEVELS.find((level) => level === value) })}
        />
        {NUMBERS.map(({ name, label, ...range }) => (
          <NumberField
            key={name}
            label={t(label)}
            placeholder={
              inherited[name] === undefined ? t("asModel") : t("fromProject", { value: inherited[name] })
            }
            value={chosen[name]}
            onChange={(value) => chooseAnswering({ [name]: value })}
            {...range}
          />
        ))}
      </div>
      <p className="hint">{t("answeringHint")}</p>
      {project && (
        <p>
          <Button
            className="link"
            onClick={() => {
              onClose();
              goToProject(project.id);
            }}
          >
            {t("changeInProject", { name: project.name })}
          </Button>
        </p>
      )}
    </Dialog>
  );
}
