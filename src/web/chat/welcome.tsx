import { goToSettings } from "../shell/address.ts";
import { person } from "../state/person.ts";
import { preferences } from "../state/preferences.ts";
import { askQuestion } from "../state/questions.ts";
import type { TextKey } from "../text/english.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon, type IconName, Mark } from "../ui/icons.tsx";
import { chooseFiles } from "./choose-files.ts";

/** What is asked is not translated: the demo model understands only these. */
const EXAMPLES: readonly { label: TextKey; icon: IconName; text: string }[] = [
  { label: "exampleTime", icon: "clock", text: "What time is it in Tokyo and Paris?" },
  { label: "exampleApp", icon: "artifact", text: "Build a small counter app in React" },
  { label: "exampleDiagram", icon: "chart", text: "Draw a flowchart of how a tool call works" },
];

/** The greeting of a new chat, above the message field. */
export function Welcome() {
  return (
    <div className="welcome">
      <Mark />
      <h1>{t("welcome")}</h1>
    </div>
  );
}

/** What one can begin with, below the message field. */
export function Suggestions() {
  return (
    <div className="suggestions">
      <ul aria-label={t("examples")}>
        {EXAMPLES.map(({ label, icon, text }) => (
          <li key={label}>
            <Button onClick={() => askQuestion({ text })} title={text}>
              <Icon name={icon} size="small" /> {t(label)}
            </Button>
          </li>
        ))}
        <li>
          <Button onClick={() => chooseFiles(t("summarizeFile"))}>
            <Icon name="file" size="small" /> {t("exampleFile")}
          </Button>
        </li>
      </ul>
      <DemoHint />
    </div>
  );
}

function DemoHint() {
  const models = person((state) => state.models);
  const chosen = preferences((state) => state.model);
  const model = models.find(({ id }) => id === chosen) ?? models.find((candidate) => candidate.default);
  if (!model?.id.startsWith("demo/")) return null;
  return (
    <p className="demo-hint">
      {t("demoHint")}{" "}
      <Button className="link" onClick={() => goToSettings("keys")}>
        {t("connectModel")}
      </Button>
    </p>
  );
}
