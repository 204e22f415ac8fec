import type { FeedbackCount, FeedbackReport as Report } from "../../protocol/feedback.ts";
import { labelOf } from "../chat/problem-words.ts";
import "../style/sharing.css";
import { t } from "../text/share.ts";
import { moment, number } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";
import { useRoute } from "../ui/loaded.ts";
import { Table } from "../ui/table.tsx";
import { PeriodBars } from "../usage/period-bars.tsx";
import { periodText } from "../usage/period-picker.tsx";
import { periodQuery } from "../usage/usage-report.ts";
import { personName } from "./person-name.ts";
import { Section } from "./section.tsx";

/** How many answers people liked, of each model and day by day, and what they wrote. */
export function FeedbackReport({ days, turn = 0 }: { days: number; turn?: number }) {
  const report = useRoute<Report>(`/admin/feedback?${periodQuery(days)}`, turn);
  return (
    <Section title={t("feedbackTitle")} hint={periodText(days)}>
      {report?.models.length === 0 && <p className="hint">{t("feedbackNone")}</p>}
      {report && report.models.length > 0 && (
        <>
          <Plots {...report} />
          <Table
            className="numbers-table"
            label={t("feedbackTitle")}
            columns={[t("model"), t("feedbackUp"), t("feedbackDown")]}
            rows={report.models.map(({ model, up, down }) => ({
              key: model,
              cells: [labelOf(model), number(up), number(down)],
            }))}
          />
        </>
      )}
      {report && report.notes.length > 0 && <Notes notes={report.notes} />}
    </Section>
  );
}

function Plots({ days, hours }: Report) {
  const points = (measure: (count: FeedbackCount) => number) =>
    hours?.map((one) => ({ at: one.at, value: measure(one) })) ??
    days.map((one) => ({ at: one.day, value: measure(one) }));
  const plots = [
    { label: t(hours ? "goodPerHour" : "goodPerDay"), points: points(({ up }) => up) },
    { label: t(hours ? "badPerHour" : "badPerDay"), points: points(({ down }) => down) },
  ];
  return (
    <div className="plots">
      {plots
        .filter((plot) => plot.points.some(({ value }) => value > 0))
        .map((plot) => (
          <PeriodBars key={plot.label} {...plot} unit="count" />
        ))}
    </div>
  );
}

function Notes({ notes }: Pick<Report, "notes">) {
  return (
    <>
      <h3>{t("feedbackNotes")}</h3>
      <ul className="feedback-notes">
        {notes.map(({ messageId, userId, user, value, note, model, at }) => (
          <li key={`${messageId} ${userId}`}>
            <Icon name={value === 1 ? "good" : "bad"} size="small" />
            <span dir="auto">{note}</span>
            <small>
              {personName(userId, user === userId ? undefined : user)} · {labelOf(model)} ·{" "}
              {moment(new Date(at))}
            </small>
          </li>
        ))}
      </ul>
    </>
  );
}
