import type { ProviderProblem } from "../../protocol/accounts.ts";
import { make } from "./elements.ts";
import { type Options, post, Refused } from "./requests.ts";
import { type SignInKey, t } from "./texts.ts";

/** What the page says about each problem with the provider. */
const SENTENCES: Record<ProviderProblem, SignInKey> = {
  down: "providerDown",
  failed: "providerFailed",
  denied: "providerDenied",
  expired: "providerExpired",
  unverified: "providerUnverified",
  closed: "providerClosed",
  setup: "providerSetup",
  suspended: "providerSuspended",
  throttled: "providerThrottled",
};

export interface ProviderButton {
  provider: NonNullable<Options["provider"]>;
  setupToken(): string | undefined;
  /** Why the person is back here without having signed in. */
  problem: string | undefined;
}

/** Makes the button that leads to the provider, with what went wrong there, and the line that says "or". */
export function continueWith({ provider: { name }, setupToken, problem }: ProviderButton): HTMLElement {
  const button = make("button", { type: "button", class: "provider" }, t("continueWith", { name }));
  const place = make("div", { class: "sign-in-provider" }, button);
  const complain = (kind: string | undefined) => {
    place.querySelector(".sign-in-problem")?.remove();
    const [, key] = Object.entries(SENTENCES).find(([one]) => one === kind) ?? [];
    const sentence = t(key ?? "providerFailed", { name });
    button.after(make("p", { class: "sign-in-problem", role: "alert" }, sentence));
  };
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      location.assign(await begin(setupToken()));
    } catch (thrown) {
      button.disabled = false;
      const kind = thrown instanceof Refused ? thrown.problem : "down";
      complain(thrown instanceof Refused && thrown.code === "RATE_LIMITED" ? "throttled" : kind);
    }
  });
  // People who come back from the provider find the page as they left it.
  addEventListener("pageshow", () => {
    button.disabled = false;
  });
  if (problem !== undefined) complain(problem);
  place.append(make("p", { class: "sign-in-or" }, t("or")));
  return place;
}

async function begin(setupToken: string | undefined): Promise<string> {
  const place = location.hash === "" ? undefined : location.hash;
  const { url } = (await post("/auth/provider", { setupToken, place })) as { url: string };
  return url;
}
