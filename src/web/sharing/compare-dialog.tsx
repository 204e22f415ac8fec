import { useState } from "react";
import type { ModelListing, TranscriptMessage } from "../../protocol/chat.ts";
import { askAgain } from "../state/questions.ts";
import { askBeside } from "../state/side-answers.ts";
import { temporary } from "../state/temporary.ts";
import "../style/sharing.css";
import { t } from "../text/share.ts";
import { Button } from "../ui/button.tsx";
import { Comparison } from "./comparison.tsx";
import { ModelDialog } from "./model-dialog.tsx";

/** More columns would be too narrow to read. */
const MOST = 3;

interface Asked {
  model: ModelListing;
  others: ModelListing[];
  side: ReturnType<typeof askBeside>;
}

/** Puts the same question to other models, and shows all answers side by side. */
export function CompareDialog({ message, onClose }: { message: TranscriptMessage; onClose(): void }) {
  const [chosen, setChosen] = useState<ModelListing[]>([]);
  const [asked, setAsked] = useState<Asked>();
  // A fork of a temporary chat would be kept.
  const most = temporary((state) => state.on) ? 1 : MOST;
  if (asked) return <Comparison message={message} {...asked} onClose={onClose} />;
  const ids = chosen.map(({ id }) => id);

  function toggle(model: ModelListing): void {
    const others = chosen.filter(({ id }) => id !== model.id);
    setChosen(ids.includes(model.id) ? others : [...others.slice(0, most - 1), model]);
  }

  function start(): void {
    const [model, ...others] = chosen;
    if (!model) return;
    const side = askBeside(
      message,
      others.map(({ id }) => id),
    );
    setAsked({ model, others, side });
    void askAgain(message, model.id);
  }

  return (
    <ModelDialog
      title={t("compareChoose")}
      except={message.model}
      chosen={ids}
      onClose={onClose}
      onChoose={toggle}
    >
      <footer className="share-foot">
        <span className="hint">
          {chosen.length > 0 ? chosen.map(({ label }) => label).join(" · ") : most > 1 && t("compareMost")}
        </span>
        <Button className="primary" disabled={chosen.length === 0} onClick={start}>
          {t("compareAsk")}
        </Button>
      </footer>
    </ModelDialog>
  );
}
