import { make } from "./elements.ts";
import { post, Refused } from "./requests.ts";
import { inOwnWords, t } from "./texts.ts";

export interface PasskeyEvents {
  onSignedIn(): void;
  onProblem(sentence: string): void;
}

/** A browser shows one question about passkeys at a time. */
let asking: AbortController | undefined;

/** Makes the button that asks for a passkey. */
export function passkeyButton(events: PasskeyEvents): HTMLButtonElement | undefined {
  if (!canUsePasskeys()) return undefined;
  const button = make("button", { type: "button", class: "passkey" }, t("passkeySignIn"));
  button.addEventListener("click", async () => {
    button.disabled = true;
    await ask(events, undefined);
    button.disabled = false;
  });
  return button;
}

/** Has the browser offer passkeys in the field for the email address. */
export async function offerPasskeys(events: PasskeyEvents): Promise<void> {
  if (canUsePasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()))
    await ask(events, "conditional");
}

/** Takes the offer back. */
export function stopOffering(): void {
  asking?.abort();
}

async function ask(events: PasskeyEvents, mediation: "conditional" | undefined): Promise<void> {
  stopOffering();
  asking = new AbortController();
  const { signal } = asking;
  try {
    const options = await post("/auth/passkey/options", {});
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
      options as PublicKeyCredentialRequestOptionsJSON,
    );
    if (signal.aborted) return;
    const found = await navigator.credentials.get({ publicKey, signal, ...(mediation && { mediation }) });
    if (!(found instanceof PublicKeyCredential)) return;
    await post("/auth/passkey", found.toJSON() as object);
    events.onSignedIn();
  } catch (thrown) {
    // A person who closes the browser's question knows it. An offer that fails says nothing.
    if (signal.aborted || (thrown instanceof DOMException && thrown.name === "NotAllowedError")) return;
    const isRefused = thrown instanceof Refused;
    if (mediation && !isRefused) return;
    const isUnknown = isRefused && thrown.code === "UNAUTHORIZED";
    events.onProblem(
      isUnknown ? t("passkeyUnknown") : isRefused ? inOwnWords(thrown.message) : t("passkeyFailed"),
    );
  }
}

function canUsePasskeys(): boolean {
  return "PublicKeyCredential" in window && "parseRequestOptionsFromJSON" in PublicKeyCredential;
}
