import "../style/settings.css";
import { useState } from "react";
import type { Device } from "../../protocol/accounts.ts";
import { attempt } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/settings.ts";
import { dayText } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { useRoute } from "../ui/loaded.ts";

/** Where the person is signed in. Each can be ended; ending this one signs out. */
export function Devices({ onOut }: { onOut(): void }) {
  return (
    <>
      <h4>{t("devices")}</h4>
      <DeviceList path="/me/devices" onOut={onOut} />
    </>
  );
}

/** The devices that a route lists. `onOut` is called when this one was signed out. */
export function DeviceList(props: { path: string; onOut?(): void; empty?: string }) {
  const { path, onOut, empty } = props;
  const [changes, setChanges] = useState(0);
  const listed = useRoute<{ devices: Device[] }>(path, changes);
  async function end({ id, current }: Device): Promise<void> {
    if (current) {
      await ask("POST", "/auth/sign-out");
      onOut?.();
      return;
    }
    await ask("DELETE", `${path}/${encodeURIComponent(id)}`);
    setChanges(changes + 1);
  }
  return (
    <>
      {empty && listed?.devices.length === 0 && <p className="hint">{empty}</p>}
      <ul className="settings-rows devices">
        {listed?.devices.map((device) => {
          const name = deviceName(device.userAgent);
          return (
            <li key={device.id}>
              <span className="grow">
                <b>{name}</b>
                <small>{device.current ? t("thisDevice") : usedOn(device)}</small>
              </span>
              <Button
                aria-label={device.current ? undefined : t("endDevice", { name })}
                onClick={() => attempt(() => end(device))}
              >
                {t("signOut")}
              </Button>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function usedOn({ createdAt, lastUsedAt }: Device): string {
  return t("deviceUsed", { since: dayText(createdAt), last: dayText(lastUsedAt) });
}

/** The first that matches counts: browsers also name those that they are compatible with. */
const BROWSERS = [
  [/Edg/, "Edge"],
  [/OPR|Opera/, "Opera"],
  [/Firefox|FxiOS/, "Firefox"],
  [/Chrom|CriOS/, "Chrome"],
  [/Safari/, "Safari"],
  [/curl/i, "curl"],
] as const;
const SYSTEMS = [
  [/Windows/, "Windows"],
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
] as const;

/** Returns what people call a device, by what its browser calls itself. */
export function deviceName(agent: string): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map(
    (known) => known.find(([pattern]) => pattern.test(agent))?.[1],
  );
  if (browser && system) return t("deviceName", { browser, system });
  return browser ?? system ?? (agent.split(/[\s/]/)[0] || t("deviceUnknown"));
}
