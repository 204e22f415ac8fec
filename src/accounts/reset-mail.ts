import type { Account } from "../protocol/accounts.ts";

/** At most this many are sent at a time. A person who gets no mail asks again. */
const MAX_AT_A_TIME = 20;

export interface ResetMailParts {
  /** Hands a mail over to a mail server. */
  send(mail: { to: string; subject: string; text: string }): Promise<void>;
  /** The address that people use. */
  publicUrl: string;
  /** Told that a mail could not be sent, and why. */
  onFailure(why: string): void;
}

/** Returns a function that mails a link with which a person can choose a new password. It does not throw. */
export function createResetMail({ send, publicUrl, onFailure }: ResetMailParts) {
  let going = 0;
  return ({ email }: Account, token: string): void => {
    if (going >= MAX_AT_A_TIME) {
      onFailure("too many mails are being sent");
      return;
    }
    going++;
    const { host } = new URL(publicUrl);
    const text = [
      `Somebody, probably you, asked for a new password for your account on ${host}.`,
      "",
      "Choose one here within an hour:",
      `${publicUrl}/sign-in?reset=${token}`,
      "",
      "If it wasn’t you, ignore this mail. Your password stays as it is.",
      "",
    ].join("\n");
    void send({ to: email, subject: `Reset your password on ${host}`, text })
      .catch((thrown: unknown) => onFailure(thrown instanceof Error ? thrown.message : "unknown"))
      .finally(() => {
        going--;
      });
  };
}
