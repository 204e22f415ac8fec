import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Situation } from "../../protocol/administration.ts";
import { goTo } from "../shell/address.ts";
import { conversation } from "../state/conversation.ts";
import { mayAdminister, person } from "../state/person.ts";
import { t } from "../text/administration.ts";
import { compact, number, percent } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { useRoute } from "../ui/loaded.ts";
import { PeriodPicker } from "../usage/period-picker.tsx";
import { Report, Tile } from "../usage/report.tsx";
import { ToolTable } from "../usage/tool-table.tsx";
import { useUsageReport } from "../usage/usage-report.ts";
import { Activity, Breakers, type Named } from "./activity.tsx";
import { RecentErrors } from "./errors.tsx";
import { FeedbackReport } from "./feedback.tsx";
import { People } from "./people.tsx";

const REFRESH_MS = 15_000;

/** The whole server at a glance, for administrators. */
export function AdministrationPage() {
  const me = person((state) => state.me);
  const [turn, setTurn] = useState(0);
  const refresh = () => setTurn((count) => count + 1);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && setTurn((count) => count + 1), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const before = document.title;
    document.title = `${t("administration")} – Tackle`;
    // Screen readers announce the page.
    heading.current?.focus();
    return () => {
      document.title = before;
    };
  }, []);
  return (
    <>
      <header className="top-bar">
        <IconButton
          icon="back"
          label={t("backToChat")}
          onClick={() => goTo(conversation.getState().sessionId)}
        />
        <h1 ref={heading} tabIndex={-1}>
          {t("administration")}
        </h1>
        <IconButton icon="retry" label={t("refresh")} onClick={refresh} />
      </header>
      <div className="administration">
        {mayAdminister(me) && <Sections turn={turn} refresh={refresh} />}
        {me && !mayAdminister(me) && <p className="hint">{t("notForYou")}</p>}
      </div>
    </>
  );
}

function Sections({ turn, refresh }: { turn: number; refresh(): void }) {
  const me = person((state) => state.me);
  const [days, setDays] = useState(30);
  const report = useUsageReport("/admin/usage", days, turn);
  const now = useRoute<Named<Situation>>("/admin/now", turn);
  return (
    <>
      <Section title={t("rightNow")} hint={t("allInstances")}>
        {now && <Figures now={now} />}
        {now && <Activity now={now} />}
      </Section>
      <Section title={t("usage")} aside={<PeriodPicker days={days} setDays={setDays} />}>
        {report && <Report report={report} />}
      </Section>
      <Section title={t("tools")} hint={t("lastDays", { days })}>
        {report && report.tools.length > 0 && <ToolTable tools={report.tools} times />}
        {report && report.tools.length === 0 && <p className="hint">{t("nothingUsed")}</p>}
        {report && report.tools.length > 0 && <FailureRate tools={report.tools} />}
      </Section>
      <Section title={t("breakers")}>
        {now && <Breakers breakers={now.breakers} onClosed={refresh} />}
      </Section>
      <Section title={t("errors")}>
        <RecentErrors turn={turn} />
      </Section>
      <FeedbackReport days={days} turn={turn} />
      <Section title={t("people")}>
        {me?.kind === "owner" ? <p className="hint">{t("noAccounts")}</p> : <People turn={turn} />}
      </Section>
    </>
  );
}

interface SectionProps {
  title: string;
  hint?: string;
  aside?: ReactNode;
  children: ReactNode;
}

function Section({ title, hint, aside, children }: SectionProps) {
  return (
    <section aria-label={title}>
      <header>
        <h2>{title}</h2>
        {hint && <span className="hint">{hint}</span>}
        {aside}
      </header>
      {children}
    </section>
  );
}

function Figures({ now }: { now: Named<Situation> }) {
  const waiting = now.approvals.length;
  const troubled = now.breakers.filter(({ state }) => state !== "closed").length;
  const { sessions, messages, bytes } = now.kept;
  const size = number(Math.round(bytes / 100_000) / 10);
  return (
    <>
      <dl className="tiles">
        <Tile name={t("runs")} value={compact(now.runs.length)} />
        <Tile name={t("approvals")} value={compact(waiting)} />
        <Tile name={t("breakersPaused")} value={compact(troubled)} alarming={troubled > 0} />
      </dl>
      <p className="hint">
        {t("kept")}: {t("keptFacts", { sessions: number(sessions), messages: number(messages), size })}
      </p>
    </>
  );
}

function FailureRate({ tools }: { tools: readonly { calls: number; failures: number }[] }) {
  const calls = tools.reduce((sum, tool) => sum + tool.calls, 0);
  const failures = tools.reduce((sum, tool) => sum + tool.failures, 0);
  return (
    <p className="hint">
      {t("calls")}: {number(calls)} · {t("failureRate")}: {percent(failures / calls)}
    </p>
  );
}
