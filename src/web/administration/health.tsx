import type { Situation } from "../../protocol/administration.ts";
import { labelOf } from "../chat/problem-words.ts";
import { readiness } from "../state/server.ts";
import { t } from "../text/administration.ts";
import { number } from "../text/t.ts";
import { useLoaded } from "../ui/loaded.ts";
import { periodText } from "../usage/period-picker.tsx";
import { ToolTable } from "../usage/tool-table.tsx";
import { useUsageReport } from "../usage/usage-report.ts";
import { Breakers, type Named } from "./activity.tsx";
import { RecentErrors } from "./errors.tsx";
import { Section } from "./section.tsx";

interface HealthProps {
  now: Named<Situation> | undefined;
  days: number;
  turn: number;
  refresh(): void;
}

/** Which services work, what fails, and how much is stored. */
export function Health({ now, days, turn, refresh }: HealthProps) {
  const report = useUsageReport("/admin/usage", days, turn);
  return (
    <>
      <Section title={t("services")}>
        {now && <Breakers breakers={now.breakers} onClosed={refresh} />}
        <Reachable turn={turn} />
      </Section>
      <Section title={t("errors")} hint={periodText(days)}>
        <RecentErrors days={days} turn={turn} />
      </Section>
      <Section title={t("tools")} hint={periodText(days)}>
        {report && report.tools.length > 0 && <ToolTable tools={report.tools} times />}
        {report && report.tools.length === 0 && <p className="hint">{t("nothingUsed")}</p>}
      </Section>
      <Section title={t("kept")}>{now && <Kept {...now.kept} />}</Section>
    </>
  );
}

/** What the server needs, and whether it can be reached. */
function Reachable({ turn }: { turn: number }) {
  const found = useLoaded(String(turn), readiness, { keep: true });
  if (!found) return null;
  return (
    <ul className="admin-facts">
      {Object.entries(found.checks).map(([name, value]) => {
        const isModel = name === "model";
        const state = isModel ? labelOf(String(value)) : String(value);
        const names: Record<string, string> = { store: t("database"), model: t("model") };
        return (
          <li key={name}>
            <span
              className="dot"
              data-state={isModel || state === "ok" ? "running" : "waiting"}
              aria-hidden="true"
            />
            <span>
              <strong>{names[name] ?? name}</strong>{" "}
              <span className="hint">{state === "ok" ? t("reachable") : state}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function Kept({ sessions, messages, bytes }: Situation["kept"]) {
  const size = number(Math.round(bytes / 100_000) / 10);
  return <p>{t("keptFacts", { sessions: number(sessions), messages: number(messages), size })}</p>;
}
