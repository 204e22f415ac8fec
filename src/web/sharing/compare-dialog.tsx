import { useId, useState } from "react";
import type { ModelListing, TranscriptMessage } from "../../protocol/chat.ts";
import { callsOf } from "../../protocol/reduce.ts";
import { ReadAnswer } from "../shared/reading.tsx";
import { showVersion } from "../state/branches.ts";
import { conversation } from "../state/conversation.ts";
import { person } from "../state/person.ts";
import { askAgain } from "../state/questions.ts";
import "../style/sharing.css";
import { t } from "../text/share.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Modal } from "../ui/dialog.tsx";
import { ModelDialog } from "./model-dialog.tsx";

/** Puts the same question to another model, and shows both answers side by side. */
export function CompareDialog({ message, onClose }: { message: TranscriptMessage; onClose(): void }) {
  const [model, setModel] = useState<ModelListing>();
  if (!model)
    return (
      <ModelDialog
        title={t("compareChoose")}
        except={message.model}
        onClose={onClose}
        onChoose={(chosen) => {
          setModel(chosen);
          void askAgain(message, chosen.id);
        }}
      />
    );
  return <Comparison message={message} model={model} onClose={onClose} />;
}

interface Props {
  message: TranscriptMessage;
  model: ModelListing;
  onClose(): void;
}

function Comparison({ message, model, onClose }: Props) {
  const heading = useId();
  const live = conversation((state) => state.live);
  const newest = conversation((state) => state.messages.at(-1));
  const refused = conversation((state) => state.refused?.failure.publicMessage);
  const other = live
    ? undefined
    : newest?.role === "assistant" && newest.id !== message.id
      ? newest
      : undefined;
  const state = live?.state ?? other?.state;
  const waits = live && callsOf(live.state).some(({ status }) => status === "waiting");
  const first = person.getState().models.find(({ id }) => id === message.model)?.label ?? message.model ?? "";
  return (
    <Modal labelledBy={heading} onClose={onClose} className="compare-dialog" data-part="compare">
      <header>
        <h2 id={heading}>{t("compareTitle")}</h2>
        <IconButton icon="close" label={t("close")} onClick={onClose} />
      </header>
      <div className="compare-columns">
        <section aria-label={first}>
          <h3>{first}</h3>
          <ReadAnswer message={message} />
          <footer>
            <Button
              onClick={() => {
                onClose();
                void showVersion(message.id);
              }}
            >
              {t("compareGoOn")}
            </Button>
          </footer>
        </section>
        <section aria-label={model.label} aria-busy={live !== undefined}>
          <h3>
            {model.label}
            {live && <span className="ring" />}
          </h3>
          {state && <ReadAnswer message={{ content: "", state }} />}
          {waits && (
            <p className="hint">
              {t("compareWaits")} <Button onClick={onClose}>{t("compareDecide")}</Button>
            </p>
          )}
          {!live && !other && <p className="hint">{refused ?? t("compareNothing")}</p>}
          {(other?.state?.error ?? undefined) && <p className="hint">{other?.state?.error?.error}</p>}
          <footer>
            <Button className="primary" disabled={!other} onClick={onClose}>
              {t("compareGoOn")}
            </Button>
          </footer>
        </section>
      </div>
    </Modal>
  );
}
