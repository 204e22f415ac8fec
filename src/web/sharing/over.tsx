import { askAgain } from "../state/questions.ts";
import { view } from "../state/view.ts";
import { t } from "../text/share.ts";
import { CompareDialog } from "./compare-dialog.tsx";
import { ModelDialog } from "./model-dialog.tsx";
import { PrintView } from "./print-view.tsx";
import { ReportDialog } from "./report-dialog.tsx";
import { ShareDialog } from "./share-dialog.tsx";
import { ShareVersion } from "./share-version.tsx";
import { TreeDialog } from "./tree-dialog.tsx";

/** The dialog that is open above a conversation. */
export function Over() {
  const over = view((state) => state.over);
  const close = () => view.setState({ over: undefined });
  switch (over?.kind) {
    case "share":
      return <ShareDialog sessionId={over.sessionId} onClose={close} />;
    case "share-version":
      return <ShareVersion {...over} onClose={close} />;
    case "tree":
      return <TreeDialog sessionId={over.sessionId} onClose={close} />;
    case "print":
      return <PrintView sessionId={over.sessionId} onClose={close} />;
    case "compare":
      return <CompareDialog message={over.message} onClose={close} />;
    case "report":
      return <ReportDialog message={over.message} onClose={close} />;
    case "ask-with":
      return (
        <ModelDialog
          title={t("askAgainWith")}
          onClose={close}
          onChoose={({ id }) => {
            close();
            void askAgain(over.message, id);
          }}
        />
      );
    default:
      return null;
  }
}
