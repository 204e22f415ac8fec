import { chooseAnswering, useAnswering } from "../state/answering.ts";
import { t } from "../text/choosing.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Select } from "../ui/select.tsx";

const LEVELS = ["low", "medium", "high"] as const;
const TEMPERATURES = { precise: 0.2, balanced: 0.7, creative: 1 } as const;

/** How the open conversation is answered: effort, length and variety. */
export function AnswerDialog({ onClose }: { onClose(): void }) {
  const { effort, verbosity, temperature } = useAnswering();
  const usual = { value: "", text: t("asModel") };
  const chosen = Object.entries(TEMPERATURES).find(([, value]) => value === temperature)?.[0] ?? "";
  return (
    <Dialog title={t("answering")} onClose={onClose} className="narrow">
      <div className="fields">
        <Select<string>
          label={t("answerEffort")}
          value={effort ?? ""}
          options={[usual, ...LEVELS.map((value) => ({ value, text: t(`answerEffort_${value}`) }))]}
          onChoose={(value) => chooseAnswering({ effort: LEVELS.find((level) => level === value) })}
        />
        <Select<string>
          label={t("answerLength")}
          value={verbosity ?? ""}
          options={[usual, ...LEVELS.map((value) => ({ value, text: t(`length_${value}`) }))]}
          onChoose={(value) => chooseAnswering({ verbosity: LEVELS.find((level) => level === value) })}
        />
        <Select<string>
          label={t("answerVariety")}
          value={chosen}
          options={[
            usual,
            { value: "precise", text: t("varietyPrecise") },
            { value: "balanced", text: t("varietyBalanced") },
            { value: "creative", text: t("varietyCreative") },
          ]}
          onChoose={(value) =>
            chooseAnswering({ temperature: TEMPERATURES[value as keyof typeof TEMPERATURES] })
          }
        />
      </div>
      <p className="hint">{t("answeringHint")}</p>
    </Dialog>
  );
}
