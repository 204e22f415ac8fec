import { askQuestion } from "../state/asking.ts";
import { t } from "../text/t.ts";

const EXAMPLES = ["exampleTime", "exampleArtifact", "exampleDiagram", "exampleExplain"] as const;

/** What an empty conversation offers to begin with. */
export function Welcome() {
  return (
    <div className="welcome">
      <h2>{t("welcome")}</h2>
      <p>{t("welcomeHint")}</p>
      <ul>
        {EXAMPLES.map((key) => (
          <li key={key}>
            <button type="button" onClick={() => askQuestion({ text: t(key), attachments: [] })}>
              {t(key)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
