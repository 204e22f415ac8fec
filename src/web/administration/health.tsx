import type { Situation } from "../../protocol/administration.ts";
import type { BreakerRecord } from "../../protocol/breakers.ts";
import { labelOf } from "../chat/problem-words.ts";
import { readiness } from "../state/server.ts";
import { t } from "../text/administration.ts";
import { number, sizeText } from "../text/t.ts";
import { useLoaded } from "../ui/loaded.ts";
import { PeriodBars } from "../usage/period-bars.tsx";
import { periodText } from "../usage/period-picker.tsx";
import { ToolTable } from "../usage/tool-table.tsx";
import { useUsageReport } from "../usage/usage-report.ts";
import { Breakers, type Named } from "./activity.tsx";
import { RecentErrors } from "./errors.tsx";
import { activityPoints } from "./numbers.tsx";
import { reachText } from "./reach-words.ts";
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
        <Services paused={now?.breakers} turn={turn} onClosed={refresh} />
      </Section>
      <Section title={t("errors")} hint={periodText(days)}>
        <RecentErrors days={days} turn={turn} />
      </Section>
      <Section title={t("tools")} hint={periodText(days)}>
        {report && report.tools.length > 0 && <ToolTable tools={report.tools} times />}
        {report && report.tools.length === 0 && <p className="hint">{t("nothingUsed")}</p>}
      </Section>
      <Section title={t("kept")} hint={t("keptNow")}>
        {now && <Kept {...now.kept} />}
        {report && (
          <PeriodBars
            label={t(report.hours ? "storedPerHour" : "storedPerDay")}
            points={activityPoints(report, ({ bytes }) => bytes)}
            unit="bytes"
            total={null}
            empty={t("notNotedYet")}
          />
        )}
      </Section>
    </>
  );
}

interface ServicesProps {
  paused: readonly BreakerRecord[] | undefined;
  turn: number;
  onClosed(): void;
}

/** What is paused, and whether what the server needs can be reached. */
function Services({ paused, turn, onClosed }: ServicesProps) {
  const found = useLoaded(String(turn), readiness, { keep: true });
  if (!found || !paused) return null;
  const isFine = Object.entries(found.checks).every(([name, value]) => name === "model" || value === "ok");
  return (
    <>
      {paused.length > 0 ? (
        <Breakers breakers={paused} onClosed={onClosed} />
      ) : (
        <p className="hint">{t(isFine ? "servicesFine" : "breakersFine")}</p>
      )}
      <Reachable checks={found.checks} />
    </>
  );
}

function Reachable({ checks }: Pick<Awaited<ReturnType<typeof readiness>>, "checks">) {
  return (
    <ul className="admin-facts">
      {Object.entries(checks).map(([name, value]) => {
        const isModel = name === "model";
        const state = isModel ? "ok" : String(value);
        const names: Record<string, string> = { store: t("database"), model: t("model") };
        return (
          <li key={name}>
            <span className="dot" data-state={state === "ok" ? "running" : "waiting"} aria-hidden="true" />
            <span>
              <strong>{names[name] ?? name}</strong>{" "}
              <span className="hint">{isModel ? labelOf(String(value)) : reachText(state)}</span>
              {state !== "ok" && (
                <details>
                  <summary>{t("details")}</summary>
                  <span className="hint">{state}</span>
                </details>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function Kept({ sessions, messages, bytes }: Situation["kept"]) {
  const facts = { sessions: number(sessions), messages: number(messages), size: sizeText(bytes) };
  return <p>{t("keptFacts", facts)}</p>;
}
