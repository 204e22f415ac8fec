/** What was going on when the mail server refused. */
export type SmtpStep = "greeting" | "encryption" | "sign-in" | "sender" | "recipient" | "message" | "ending";

const MAX_REPLY = 200;

/** Tells an operator what a mail server refused and what to do about it. */
export function refusal(where: string, step: SmtpStep, code: string | undefined, text: string): Error {
  if (code === undefined)
    return new Error(
      `The mail server ${where} does not answer as one: check the host and port in TACKLE_SMTP_URL.`,
    );
  const reply = [code, quotable(step, text)].filter((part) => part !== "").join(" ");
  if (code.startsWith("4"))
    return new Error(
      `The mail server ${where} does not take the mail for now (${reply}). Nothing was sent; asking again in a few minutes may ` +
        "work. If this repeats, a mail server that knows yours, with user and password in TACKLE_SMTP_URL, does not make it wait.",
    );
  if (code === "530" && step !== "sign-in")
    return new Error(
      `The mail server ${where} demands a sign-in (${reply}): add user and password to TACKLE_SMTP_URL.`,
    );
  return new Error(`The mail server ${where} ${REFUSED[step]}`.replace("{reply}", () => reply));
}

const REFUSED: Record<SmtpStep, string> = {
  greeting: "refused the connection ({reply}). It may not accept mail from this machine’s address.",
  encryption:
    "refused to encrypt the connection ({reply}). Use smtps:// in TACKLE_SMTP_URL if it has a port for TLS.",
  "sign-in":
    "refused the user or password in TACKLE_SMTP_URL ({reply}). Write special characters in them as %XX; some providers need a password made for apps.",
  sender: "refused the sender ({reply}). Check that it may send as TACKLE_MAIL_FROM.",
  recipient:
    "refused the recipient ({reply}). Either there is no such mailbox, or it demands a sign-in for other domains.",
  message: "refused the message ({reply}).",
  ending: "did not end the connection as expected ({reply}).",
};

/** Replies may repeat what they refuse: no password and no address gets into a log. */
function quotable(step: SmtpStep, text: string): string {
  if (step === "sign-in") return /^\d\.\d{1,3}\.\d{1,3}(?= |$)/.exec(text)?.[0] ?? "";
  return text
    .replace(/\S+@\S+/g, "…")
    .replace(/\p{Cc}/gu, " ")
    .slice(0, MAX_REPLY)
    .trim();
}

interface TlsError extends Error {
  code?: string;
  cert?: { subjectaltname?: string };
}

const PRIVATE_AUTHORITY = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Tells an operator why there is no connection to a mail server, or no longer, and what to do about it. */
export function connectionFailure(where: string, error: TlsError | undefined): Error {
  const { code = "", message = "", cert } = error ?? {};
  const say = (what: string) => new Error(`The mail server ${where} ${what}`, { cause: error });
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return say(
      `has a certificate for another name (${cert?.subjectaltname ?? "none"}). Use a name of the certificate in TACKLE_SMTP_URL.`,
    );
  if (PRIVATE_AUTHORITY.has(code))
    return say(
      `has a certificate of an unknown authority (${code}). If it is your own, set NODE_EXTRA_CA_CERTS to a file with its certificate.`,
    );
  if (code.startsWith("CERT_")) return say(`has a certificate that is not valid (${code}). Renew it.`);
  if (code === "EPROTO" || code.startsWith("ERR_SSL_"))
    return say(
      "does not speak TLS on this port. Use smtp:// for the ports 25 and 587, and smtps:// for 465, in TACKLE_SMTP_URL.",
    );
  if (code !== "") return say(`cannot be reached (${code}): check the host and port in TACKLE_SMTP_URL.`);
  return say(message === "" ? "closed the connection." : message);
}
