import type { FeedbackReading } from "../../protocol/administration.ts";
import { person } from "../state/person.ts";
import "../style/sharing.css";
import { t } from "../text/share.ts";
import { moment, number } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";
import { useRoute } from "../ui/loaded.ts";

type Named = FeedbackReading["notes"][number] & { user: string };

/** How many answers of each model people liked, and what they wrote. */
export function FeedbackReport({ days, turn = 0 }: { days: number; turn?: number }) {
  const report = useRoute<{ models: FeedbackReading["models"]; notes: Named[] }>(
    `admin/feedback?days=${days}`,
    turn,
  );
  const labels = new Map(person((state) => state.models).map(({ id, label }) => [id, label]));
  return (
    <section aria-label={t("feedbackTitle")}>
      <header>
        <h2>{t("feedbackTitle")}</h2>
      </header>
      {report?.models.length === 0 && <p className="hint">{t("feedbackNone")}</p>}
      {report && report.models.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>{t("model")}</th>
              <th>{t("feedbackUp")}</th>
              <th>{t("feedbackDown")}</th>
            </tr>
          </thead>
          <tbody>
            {report.models.map(({ model, up, down }) => (
              <tr key={model}>
                <td>{labels.get(model) ?? model}</td>
                <td>{number(up)}</td>
                <td>{number(down)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {report && report.notes.length > 0 && (
        <>
          <h3>{t("feedbackNotes")}</h3>
          <ul className="feedback-notes">
            {report.notes.map(({ messageId, userId, user, value, note, model, at }) => (
              <li key={`${messageId} ${userId}`}>
                <Icon name={value === 1 ? "good" : "bad"} size="small" />
                <span dir="auto">{note}</span>
                <small>
                  {user} · {labels.get(model) ?? model} · {moment(new Date(at))}
                </small>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
