import { view } from "../state/view.ts";
import { ShareDialog } from "./share-dialog.tsx";

/** The dialog that is open above a conversation. */
export function Over() {
  const over = view((state) => state.over);
  const close = () => view.setState({ over: undefined });
  if (over?.kind === "share") return <ShareDialog sessionId={over.sessionId} onClose={close} />;
  return null;
}
