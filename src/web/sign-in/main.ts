import { field, linkButton, make, mark } from "./elements.ts";
import { offerPasskeys, passkeyButton, stopOffering } from "./passkey.ts";
import { continueWith } from "./provider.ts";
import { type Options, post, Refused, readOptions } from "./requests.ts";
import { applyLanguage, inOwnWords, type SignInKey, span, t } from "./texts.ts";

type Mode = "sign-in" | "sign-up" | "forgot" | "sent" | "reset";

/** Tokens of links are taken out of the address, which may be copied or kept. */
function takeFromAddress(name: string): string | undefined {
  const address = new URL(location.href);
  const value = address.searchParams.get(name);
  if (value === null) return undefined;
  address.searchParams.delete(name);
  history.replaceState(null, "", address);
  return value;
}

const place = document.getElementById("sign-in");
const setupToken = takeFromAddress("setup");
const resetToken = takeFromAddress("reset");
let providerProblem = takeFromAddress("problem");
let options: Options = { signUp: true, firstAccount: setupToken !== undefined, passwordReset: false };
/** Kept while the person changes their mind. */
let email = "";

/** What is above the form, and on its button. */
const WORDS: Record<Mode, { title: SignInKey; button?: SignInKey }> = {
  "sign-in": { title: "signInTo", button: "signIn" },
  "sign-up": { title: "createYours", button: "createAccount" },
  forgot: { title: "resetPassword", button: "sendLink" },
  sent: { title: "checkMail" },
  reset: { title: "chooseNew", button: "saveAndSignIn" },
};

function show(mode: Mode): void {
  const { title, button } = WORDS[mode];
  document.title = t(title);
  const form = make(
    "form",
    { "aria-labelledby": "title" },
    make(
      "div",
      { class: "sign-in-top" },
      mark(),
      make("h1", { id: "title", tabindex: "-1" }, t(title)),
      make("p", {}, below(mode)),
    ),
    providerOf(mode),
    ...fieldsOf(mode),
    button !== undefined &&
      !asksAdministrator(mode) &&
      make("button", { type: "submit", class: "primary" }, t(button)),
    mode === "sign-in" &&
      options.suspended &&
      make("p", { class: "sign-in-problem", role: "alert" }, t("providerSuspended")),
    mode === "sign-in" && options.passkeys && passkeyButton(passkeys),
    make("div", { class: "sign-in-foot" }, ...footOf(mode)),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit(form, mode);
  });
  place?.replaceChildren(form);
  if (mode === "sign-in" && options.passkeys) void offerPasskeys(passkeys);
  else stopOffering();
  // Shown once: a person who continues has seen it.
  providerProblem = undefined;
  const inputs = [...form.querySelectorAll("input")];
  (inputs.find(({ value }) => value === "") ?? inputs.at(-1) ?? form.querySelector("h1"))?.focus();
}

/** A server without mail can't help with a forgotten password itself. */
function asksAdministrator(mode: Mode): boolean {
  return mode === "forgot" && !options.passwordReset;
}

const passkeys = {
  onSignedIn: enter,
  onProblem(sentence: string) {
    const button = place?.querySelector(".passkey");
    place?.querySelector(".sign-in-problem")?.remove();
    button?.after(make("p", { class: "sign-in-problem", role: "alert" }, sentence));
  },
};

function providerOf(mode: Mode): HTMLElement | undefined {
  const { provider } = options;
  if (!provider || (mode !== "sign-in" && mode !== "sign-up")) return undefined;
  const typed = () => place?.querySelector<HTMLInputElement>("#setupToken")?.value || undefined;
  return continueWith({ provider, setupToken: () => setupToken ?? typed(), problem: providerProblem });
}

function below(mode: Mode): string {
  if (mode === "sent") return t("mailSent", { email });
  if (mode === "forgot") return t(options.passwordReset ? "resetHint" : "askForPassword");
  return mode === "sign-up" && options.firstAccount ? t("firstAccount") : location.host;
}

function fieldsOf(mode: Mode): HTMLElement[] {
  const emailField = field({
    name: "email",
    label: t("email"),
    attributes: {
      type: "email",
      required: true,
      // The browser offers passkeys beside the addresses that it knows.
      autocomplete: mode === "sign-in" ? "username webauthn" : "username",
      value: email,
      maxlength: "254",
    },
  });
  const newPassword = field({
    name: "password",
    label: t(mode === "reset" ? "newPassword" : "password"),
    hint: t("passwordHint"),
    attributes: {
      type: "password",
      required: true,
      autocomplete: "new-password",
      minlength: "8",
      maxlength: "128",
    },
  });
  if (mode === "sent" || asksAdministrator(mode)) return [];
  if (mode === "forgot") return [emailField];
  if (mode === "reset") return [newPassword];
  if (mode === "sign-up") {
    const name = { type: "text", autocomplete: "name", maxlength: "100" };
    const asksToken = options.firstAccount && setupToken === undefined;
    return [
      ...(asksToken ? [tokenField()] : []),
      field({ name: "name", label: t("yourName"), attributes: name }),
      emailField,
      newPassword,
    ];
  }
  const password = field({
    name: "password",
    label: t("password"),
    beside: linkButton(t("forgot"), () => leaveFor("forgot")),
    attributes: { type: "password", required: true, autocomplete: "current-password", maxlength: "128" },
  });
  return [emailField, password];
}

function tokenField(): HTMLElement {
  return field({
    name: "setupToken",
    label: t("setupTokenLabel"),
    hint: t("setupTokenHint"),
    attributes: { type: "text", required: true, autocomplete: "off", maxlength: "200", value: setupToken },
  });
}

function footOf(mode: Mode): HTMLElement[] {
  const line = (...children: (Node | string)[]) => make("p", {}, ...children);
  // Before there is an account, only guests find something there.
  if (mode === "sign-up" && options.firstAccount && !options.guests) return [];
  if (mode === "sign-up")
    return [
      line(
        `${t("haveAccount")} `,
        linkButton(t("signIn"), () => leaveFor("sign-in")),
      ),
    ];
  if (mode !== "sign-in") return [line(linkButton(t("backToSignIn"), () => leaveFor("sign-in")))];
  const { guests, provider } = options;
  const isNew = options.signUp
    ? [
        line(
          `${t("newHere")} `,
          linkButton(t("createAnAccount"), () => leaveFor("sign-up")),
        ),
      ]
    : provider?.signUp
      ? []
      : [line(t("askForAccount"))];
  if (!guests || options.suspended) return isNew;
  const values = { questions: String(guests.questions), time: span(guests.minutes) };
  return [...isNew, line(make("a", { href: `/${location.hash}` }, t("lookAround", values)))];
}

function leaveFor(mode: Mode): void {
  email = document.querySelector<HTMLInputElement>("#email")?.value ?? email;
  show(mode);
}

async function submit(form: HTMLFormElement, mode: Mode): Promise<void> {
  const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
  if (!button || button.disabled) return;
  const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  email = values.email ?? email;
  button.disabled = true;
  try {
    if (mode === "sign-in") await post("/auth/sign-in", values);
    else if (mode === "sign-up") await post("/auth/sign-up", { setupToken, ...values });
    else if (mode === "reset") await post("/auth/reset-password", { token: resetToken, ...values });
    else {
      await post("/auth/forgot-password", values);
      return show("sent");
    }
    enter();
  } catch (thrown) {
    button.disabled = false;
    complain(form, mode, thrown);
  }
}

/** Goes where the person wanted to go: the address names it. */
function enter(): void {
  history.replaceState(null, "", `/${location.hash}`);
  location.reload();
}

/** Says what went wrong at the field that it is about, which gets the focus. */
function complain(form: HTMLFormElement, mode: Mode, thrown: unknown): void {
  const refusal = thrown instanceof Refused ? thrown : undefined;
  const isWrong = mode === "sign-in" && refusal?.code === "UNAUTHORIZED";
  const isNoEmail = refusal?.code === "INVALID_INPUT" && refusal.message.includes(" email: ");
  const isEmail = isNoEmail || (mode === "sign-up" && refusal?.code === "CONFLICT");
  const isToken = refusal?.problem === "setup";
  const name = isEmail ? "email" : isToken ? "setupToken" : "password";
  // The link had a wrong one, or half of it.
  if (isToken && !form.querySelector("#setupToken"))
    form.querySelector(".sign-in-field")?.before(tokenField());
  const input =
    form.querySelector<HTMLInputElement>(`#${name}`) ?? [...form.querySelectorAll("input")].at(-1);
  form.querySelector(".sign-in-problem")?.remove();
  const sentence = refusal ? inOwnWords(refusal.message) : t("cantReach");
  const text = isWrong ? t("wrongPassword") : isNoEmail ? t("emailInvalid") : sentence;
  input?.after(make("p", { class: "sign-in-problem", id: "problem", role: "alert" }, text));
  input?.setAttribute("aria-describedby", "problem");
  if (isWrong) for (const one of form.querySelectorAll("input")) one.setAttribute("aria-invalid", "true");
  input?.focus();
  input?.select();
}

async function start(): Promise<void> {
  const [found] = await Promise.all([readOptions().catch(() => options), applyLanguage()]);
  // A server without accounts lets everybody in.
  if (!found) return enter();
  options = found;
  if (resetToken !== undefined) show("reset");
  else show(options.firstAccount ? "sign-up" : "sign-in");
}

void start();
