import { askQuestion } from "../state/questions.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";

/** Not translated: the demo model understands only these. */
const EXAMPLES = [
  "What time is it in Tokyo and in Paris?",
  "Make a React counter component",
  "Draw a flowchart of how a tool call works",
  "Explain in three sentences how you use tools",
];

/** Greeting and examples of an empty conversation. */
export function Welcome() {
  return (
    <div className="welcome">
      <h2>{t("welcome")}</h2>
      <p>{t("welcomeHint")}</p>
      <ul>
        {EXAMPLES.map((text) => (
          <li key={text}>
            <Button onClick={() => askQuestion({ text })}>{text}</Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
