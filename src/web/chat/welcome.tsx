import { goToSettings } from "../shell/address.ts";
import { person } from "../state/person.ts";
import { preferences } from "../state/preferences.ts";
import { askQuestion } from "../state/questions.ts";
import type { TextKey } from "../text/english.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon, type IconName, Mark } from "../ui/icons.tsx";
import { chooseFiles } from "./choose-files.ts";

/** `demo` is what the demo model understands, which knows English only. */
const EXAMPLES: readonly { label: TextKey; ask: TextKey; icon: IconName; demo: string }[] = [
  { label: "exampleTime", ask: "askTime", icon: "clock", demo: "What time is it in Tokyo and Paris?" },
  { label: "exampleApp", ask: "askApp", icon: "artifact", demo: "Build a small counter app in React" },
  {
    label: "exampleDiagram",
    ask: "askDiagram",
    icon: "chart",
    demo: "Draw a flowchart of how a tool call works",
  },
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
  const isDemo = useDemo();
  return (
    <div className="suggestions">
      <ul aria-label={t("examples")}>
        {EXAMPLES.map(({ label, ask, icon, demo }) => {
          const text = isDemo ? demo : t(ask);
          return (
            <li key={label}>
              <Button onClick={() => askQuestion({ text })} title={text}>
                <Icon name={icon} size="small" /> {t(label)}
              </Button>
            </li>
          );
        })}
        <li>
          <Button onClick={() => chooseFiles(t("summarizeFile"))}>
            <Icon name="file" size="small" /> {t("exampleFile")}
          </Button>
        </li>
      </ul>
      {isDemo && <DemoHint />}
    </div>
  );
}

/** Whether the demo model would answer. */
function useDemo(): boolean {
  const models = person((state) => state.models);
  const chosen = preferences((state) => state.model);
  const model = models.find(({ id }) => id === chosen) ?? models.find((candidate) => candidate.default);
  return model?.id.startsWith("demo/") ?? false;
}

function DemoHint() {
  return (
    <p className="demo-hint">
      {t("demoHint")}{" "}
      <Button className="link" onClick={() => goToSettings("keys")}>
        {t("connectModel")}
      </Button>
    </p>
  );
}
