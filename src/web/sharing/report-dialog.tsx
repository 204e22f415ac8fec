import type { TranscriptMessage } from "../../protocol/chat.ts";
import { conversation } from "../state/conversation.ts";
import { rate } from "../state/feedback.ts";
import { attempt, notify } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import "../style/sharing.css";
import { t } from "../text/share.ts";
import { Button } from "../ui/button.tsx";
import { copyText } from "../ui/copy-text.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useLoaded } from "../ui/loaded.ts";

/** Tells administrators what was wrong with an answer, or copies what somebody else needs to look into it. */
export function ReportDialog({ message, onClose }: { message: TranscriptMessage; onClose(): void }) {
  const version = useLoaded("version", async () => {
    const { info } = await ask<{ info: { version: string } }>("GET", "openapi.json");
    return info.version;
  });
  const details = detailsOf(message, version);
  async function copy(): Promise<void> {
    if (await attempt(() => copyText(details))) notify({ text: t("reportCopied") });
  }
  return (
    <Dialog title={t("reportTitle")} onClose={onClose} className="share-dialog">
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          const note = String(new FormData(event.currentTarget).get("note") ?? "").trim();
          onClose();
          if (note !== "" && (await rate(message.id, { value: -1, note }))) notify({ text: t("reportSent") });
        }}
      >
        <label className="report-words">
          {t("reportSays")}
          <textarea
            name="note"
            rows={4}
            maxLength={2_000}
            dir="auto"
            defaultValue={message.feedback?.note ?? ""}
          />
        </label>
        <details className="report-details">
          <summary>{t("reportDetails")}</summary>
          <pre>{details}</pre>
        </details>
        <footer className="share-foot">
          <Button onClick={() => void copy()}>{t("reportCopy")}</Button>
          <button type="submit" className="primary">
            {t("reportSend")}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Ids and versions, and nothing that was said. */
function detailsOf({ id, model, runId, state, createdAt }: TranscriptMessage, version = ""): string {
  const facts: Record<string, string | undefined> = {
    Tackle: version,
    address: location.origin,
    conversation: conversation.getState().sessionId,
    answer: id,
    run: runId,
    request: state?.error?.requestId,
    error: state?.error?.code,
    model,
    time: createdAt,
    browser: navigator.userAgent,
  };
  return Object.entries(facts)
    .flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []))
    .join("\n");
}
