import { notify } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import type { OwnShare } from "../state/sharing.ts";
import { t } from "../text/share.ts";
import { Sure } from "../ui/sure.tsx";

interface Props {
  share: OwnShare;
  onEnded(): void;
  onClose(): void;
}

/** Ends a link after one question: its address never works again. */
export function StopSharing({ share: { id, title }, onEnded, onClose }: Props) {
  async function end(): Promise<void> {
    await ask("DELETE", `shares/${id}`);
    notify({ text: t("stoppedSharing", { title }) });
    onEnded();
  }
  return (
    <Sure
      title={t("stopQuestion", { title })}
      text={t("stopWarning")}
      action={t("stopSharing")}
      run={end}
      onClose={onClose}
    />
  );
}
