import { useEffect } from "react";
import type { PersonalMcpServer } from "../../protocol/mcp-servers.ts";
import { attempt, notify } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/choosing.ts";
import { Button } from "../ui/button.tsx";
import { useRoute } from "../ui/loaded.ts";
import type { MenuItem } from "../ui/menu.tsx";
import { Logo } from "./models-and-keys.tsx";

/** The services that this person signs in to themselves. They are looked at again when the person comes back. */
export function useSignIns(turn: number, changed: () => Promise<void>): PersonalMcpServer[] | undefined {
  const servers = useRoute<{ servers: PersonalMcpServer[] }>("/mcp/servers", turn)?.servers;
  const known = servers?.filter(({ authorizeUrl, authorized }) => authorizeUrl !== undefined || authorized);
  const isWaiting = known?.some(({ authorizeUrl }) => authorizeUrl !== undefined) === true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `changed` is a new function each time
  useEffect(() => {
    if (!isWaiting) return;
    const look = () => document.visibilityState === "visible" && void attempt(changed);
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [isWaiting]);
  return known;
}

/** Where a person's sign-in stands. The sign-in opens on its own page. */
export function SignInState({ service: { authorizeUrl, state } }: { service: PersonalMcpServer }) {
  if (authorizeUrl === undefined)
    return state === "ready" ? (
      <span className="works">{t("stateReady")}</span>
    ) : (
      <span className="works-not">{t("stateUnavailable")}</span>
    );
  return (
    <Button onClick={() => void window.open(authorizeUrl, "_blank", "noopener")}>
      {t("connectService")}
    </Button>
  );
}

/** Takes the access back. */
export function signInAction({ name }: PersonalMcpServer, changed: () => Promise<void>): MenuItem {
  return { label: t("disconnectService"), icon: "offline", run: () => disconnect(name, changed) };
}

function disconnect(name: string, changed: () => Promise<void>): void {
  void attempt(async () => {
    await ask("DELETE", `/mcp/servers/${encodeURIComponent(name)}/authorization`);
    notify({ text: t("disconnectedService", { name }) });
    await changed();
  });
}

interface Props {
  turn: number;
  changed(): Promise<void>;
}

/** The services that a person signs in to, for those who cannot change the services themselves. */
export function ServiceSignIns({ turn, changed }: Props) {
  const services = useSignIns(turn, changed);
  if (!services?.length) return null;
  return (
    <>
      <h4>{t("signIns")}</h4>
      <ul className="settings-rows sources">
        {services.map((service) => (
          <li key={service.name}>
            <Logo label={service.name} />
            <div className="grow">
              <b>{service.name}</b>
              {service.authorizeUrl && <small>{t("signInNeeded")}</small>}
            </div>
            <SignInState service={service} />
            {service.authorized && (
              <Button className="quiet" onClick={() => disconnect(service.name, changed)}>
                {t("disconnectService")}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
