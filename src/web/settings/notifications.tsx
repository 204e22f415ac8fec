import { useState } from "react";
import type { NoticeKind } from "../../protocol/notices.ts";
import { attempt, notify } from "../state/notices.ts";
import {
  canNotify,
  type NotificationChoice,
  readNotifications,
  turnOff,
  turnOn,
} from "../state/notifications.ts";
import { t } from "../text/settings.ts";
import { useLoaded } from "../ui/loaded.ts";
import { SwitchRow } from "../ui/switch.tsx";
import { noticeWords } from "./notice-words.ts";

const ALL: NotificationChoice = { kinds: ["waiting", "done", "failed"], titles: true };
const KINDS = [
  ["waiting", "notifyWaiting"],
  ["done", "notifyDone"],
  ["failed", "notifyFailed"],
] as const;

/** What this browser tells the person while they look elsewhere. */
export function NotificationSettings() {
  const [changes, setChanges] = useState(0);
  const [busy, setBusy] = useState(false);
  const choice = useLoaded(
    String(changes),
    async () => (canNotify() ? ((await readNotifications()) ?? "off") : "off"),
    { keep: true },
  );
  if (!canNotify()) return <p className="hint">{t("notifyNotHere")}</p>;
  if (choice === undefined) return null;
  const isOn = choice !== "off";
  async function change(work: () => Promise<boolean | undefined>): Promise<void> {
    setBusy(true);
    await attempt(async () => {
      if ((await work()) === false) notify({ text: t("notifyBlocked"), kind: "error" });
    });
    setBusy(false);
    setChanges((count) => count + 1);
  }
  const choose = (next: NotificationChoice) =>
    change(async () => (next.kinds.length > 0 ? turnOn(next, noticeWords()) : void (await turnOff())));
  const withKind = ({ kinds, titles }: NotificationChoice, kind: NoticeKind, on: boolean) =>
    choose({ titles, kinds: on ? [...kinds, kind] : kinds.filter((other) => other !== kind) });
  return (
    <>
      <SwitchRow
        label={t("notifyHere")}
        hint={t("notifyHereHint")}
        on={isOn}
        disabled={busy}
        onSwitch={(on) => void (on ? choose(ALL) : change(async () => void (await turnOff())))}
      />
      {isOn &&
        KINDS.map(([kind, label]) => (
          <SwitchRow
            key={kind}
            label={t(label)}
            on={choice.kinds.includes(kind)}
            disabled={busy}
            onSwitch={(on) => void withKind(choice, kind, on)}
          />
        ))}
      {isOn && (
        <SwitchRow
          label={t("notifyTitles")}
          hint={t("notifyTitlesHint")}
          on={choice.titles}
          disabled={busy}
          onSwitch={(titles) => void choose({ kinds: choice.kinds, titles })}
        />
      )}
    </>
  );
}
