import "../style/administration.css";
import { useEffect, useId, useRef, useState } from "react";
import type { Situation } from "../../protocol/administration.ts";
import { goTo } from "../shell/address.ts";
import { conversation } from "../state/conversation.ts";
import { mayAdminister, person } from "../state/person.ts";
import { t } from "../text/administration.ts";
import { IconButton } from "../ui/button.tsx";
import { useRoute } from "../ui/loaded.ts";
import { panelOf, Tabs } from "../ui/tabs.tsx";
import { PeriodPicker } from "../usage/period-picker.tsx";
import type { Named } from "./activity.tsx";
import { AuditLog } from "./audit-log.tsx";
import { Health } from "./health.tsx";
import { Limits } from "./limits.tsx";
import { Overview } from "./overview.tsx";
import { People } from "./people.tsx";

const REFRESH_MS = 15_000;
/** How often what is going on is asked for while it is on the screen. */
const LIVE_MS = 3_000;
const TABS = ["overview", "people", "limits", "health", "auditLog"] as const;
type Tab = (typeof TABS)[number];

/** The whole server, for administrators. */
export function AdministrationPage() {
  const me = person((state) => state.me);
  const [turn, setTurn] = useState(0);
  const [tab, setTab] = useState<Tab>("overview");
  const [days, setDays] = useState(30);
  const id = useId();
  const refresh = () => setTurn((count) => count + 1);
  const ticks = useTicks(REFRESH_MS);
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
  const allowed = mayAdminister(me);
  return (
    <>
      <header className="top-bar administration-bar">
        <IconButton
          icon="back"
          label={t("backToChat")}
          onClick={() => goTo(conversation.getState().sessionId)}
        />
        <h1 ref={heading} tabIndex={-1}>
          {t("administration")}
        </h1>
        {allowed && (
          <Tabs<Tab>
            id={id}
            label={t("administration")}
            tabs={TABS.map((name) => ({ name, title: t(name) }))}
            chosen={tab}
            onChoose={setTab}
          />
        )}
        <span className="administration-aside">
          {allowed && (tab === "overview" || tab === "health") && (
            <PeriodPicker days={days} setDays={setDays} />
          )}
          {allowed && <IconButton icon="retry" label={t("refresh")} onClick={refresh} />}
        </span>
      </header>
      <div className="administration">
        {allowed && (
          <div {...panelOf(id, tab)} className="administration-panel">
            <Panel tab={tab} turn={turn + ticks} days={days} refresh={refresh} />
          </div>
        )}
        {me && !allowed && <p className="hint">{t("notForYou")}</p>}
      </div>
    </>
  );
}

/** Counts up now and again while the page is visible. */
function useTicks(everyMs: number): number {
  const [ticks, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && setTicks((count) => count + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return ticks;
}

function Panel({ tab, turn, days, refresh }: { tab: Tab; turn: number; days: number; refresh(): void }) {
  const me = person((state) => state.me);
  const live = useTicks(tab === "overview" ? LIVE_MS : REFRESH_MS);
  const now = useRoute<Named<Situation>>("/admin/now", turn + live);
  if (tab === "overview") return <Overview now={now} days={days} turn={turn} refresh={refresh} />;
  if (tab === "limits") return <Limits turn={turn} />;
  if (tab === "health") return <Health now={now} days={days} turn={turn} refresh={refresh} />;
  if (tab === "auditLog") return <AuditLog turn={turn} />;
  return me?.kind === "owner" ? <p className="hint">{t("noAccounts")}</p> : <People turn={turn} />;
}
