import { useState } from "react";
import { Failure } from "../../protocol/failure.ts";
import type { Passkey } from "../../protocol/passkeys.ts";
import { attempt, notify } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/settings.ts";
import { dayText } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Choices, PasswordField, useForm } from "../ui/form.tsx";
import { useRoute } from "../ui/loaded.ts";
import { deviceName } from "./devices.tsx";

/** The passkeys of the person: add one on this device, name them, remove them. Missing where the browser allows none. */
export function Passkeys() {
  const [changes, setChanges] = useState(0);
  const [busy, setBusy] = useState(false);
  const [confirming, setConfirming] = useState(false);
  const listed = useRoute<{ passkeys: Passkey[] }>("/me/passkeys", changes);
  if (!canCreatePasskeys()) return null;

  async function change(work: () => Promise<unknown>): Promise<void> {
    await attempt(work);
    setChanges((count) => count + 1);
  }

  async function add(password?: string): Promise<void> {
    const credential = await createPasskey(password);
    setConfirming(false);
    if (!credential) return;
    await ask("POST", "/me/passkeys", { name: deviceName(navigator.userAgent), credential });
    notify({ text: t("passkeyAdded") });
    setChanges((count) => count + 1);
  }

  async function begin(): Promise<void> {
    setBusy(true);
    await attempt(async () => {
      try {
        await add();
      } catch (thrown) {
        if (!(thrown instanceof Failure) || thrown.details?.confirm !== "password") throw thrown;
        setConfirming(true);
      }
    });
    setBusy(false);
  }

  return (
    <>
      <h4>{t("passkeys")}</h4>
      <p className="hint">{t("passkeysHint")}</p>
      <ul className="settings-rows passkeys">
        {listed?.passkeys.map((passkey) => (
          <li key={passkey.id}>
            <span className="grow">
              <PasskeyName
                name={passkey.name}
                onName={(name) => change(() => ask("PATCH", pathOf(passkey), { name }))}
              />
              <small>{usedOn(passkey)}</small>
            </span>
            <Button
              className="danger"
              aria-label={t("removePasskey", { name: passkey.name })}
              onClick={() => change(() => ask("DELETE", pathOf(passkey)))}
            >
              {t("remove")}
            </Button>
          </li>
        ))}
      </ul>
      {confirming ? (
        <Confirmation onPassword={add} onCancel={() => setConfirming(false)} />
      ) : (
        <Button disabled={busy} onClick={() => void begin()}>
          {t("addPasskey")}
        </Button>
      )}
    </>
  );
}

/** Asks for the password of somebody who signed in a while ago. */
function Confirmation(props: { onPassword(password: string): Promise<void>; onCancel(): void }) {
  const { onPassword, onCancel } = props;
  const { problem, busy, submit } = useForm((field) => onPassword(field("password")));
  return (
    <form className="fields" onSubmit={submit}>
      <PasswordField label={t("passkeyConfirm")} autoFocus />
      {problem}
      <Choices action={t("addPasskey")} disabled={busy} onCancel={onCancel} />
    </form>
  );
}

/** Holds once the field is left. */
function PasskeyName({ name, onName }: { name: string; onName(name: string): void }) {
  return (
    <input
      aria-label={t("passkeyName")}
      maxLength={60}
      defaultValue={name}
      dir="auto"
      onBlur={({ target }) => {
        const chosen = target.value.trim();
        if (chosen === "") target.value = name;
        else if (chosen !== name) onName(chosen);
      }}
      onKeyDown={({ key, currentTarget }) => key === "Enter" && currentTarget.blur()}
    />
  );
}

function canCreatePasskeys(): boolean {
  const isName = !/^[\d.]+$|^\[/.test(location.hostname);
  return isName && "PublicKeyCredential" in window && "parseCreationOptionsFromJSON" in PublicKeyCredential;
}

/** Has the browser create a passkey. Returns undefined if the person decides against it. */
async function createPasskey(password: string | undefined): Promise<unknown> {
  const body = password === undefined ? {} : { password };
  const options = await ask<PublicKeyCredentialCreationOptionsJSON>("POST", "/me/passkeys/options", body);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  try {
    const made = await navigator.credentials.create({ publicKey });
    return made instanceof PublicKeyCredential ? made.toJSON() : undefined;
  } catch (thrown) {
    const name = thrown instanceof DOMException ? thrown.name : "";
    // This device has one already.
    if (name === "InvalidStateError") notify({ text: t("passkeyExists") });
    else if (name !== "NotAllowedError" && name !== "AbortError") throw thrown;
    return undefined;
  }
}

function pathOf({ id }: Passkey): string {
  return `/me/passkeys/${encodeURIComponent(id)}`;
}

function usedOn({ createdAt, lastUsedAt }: Passkey): string {
  const since = dayText(createdAt);
  return lastUsedAt ? t("passkeyUsed", { since, last: dayText(lastUsedAt) }) : t("passkeyUnused", { since });
}
