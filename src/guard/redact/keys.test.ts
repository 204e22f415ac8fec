import { expect, it } from "vitest";
import { redactKeys } from "./keys.ts";
import { madeUp } from "./testing/made-up.ts";
import { marked } from "./testing/marked.ts";

const { base64, mixed } = madeUp(11);

function check(example: string, mark: string): void {
  const { text, clean } = marked(example, mark);
  expect(redactKeys(text)).toBe(clean);
}

it.each([
  ["without a signature", `eyJ${mixed(20)}.eyJ${mixed(20)}`],
  ["encoded twice", `ZXlK${mixed(60)}==`],
  ["that is encrypted", `eyJ${mixed(20)}..${mixed(16)}.${mixed(40)}.${mixed(22)}`],
])("a token %s is removed", (_, token) => check(`It is ⟦${token}⟧ now`, "[token]"));

it.each([
  "hooks.slack.com/⟦services/T0/B0/⟧",
  "hooks.slack.com/⟦workflows/T0/A0/⟧",
  "hooks.slack.com/⟦triggers/T0/1/⟧",
  "hooks.slack-gov.com/⟦services/T0/B0/⟧",
  "discord.com/⟦api/webhooks/1/⟧",
  "discordapp.com/⟦api/v10/webhooks/1/⟧",
  "acme.webhook.office.com/⟦webhookb2/⟧",
  "outlook.office.com/⟦webhook/⟧",
  "hooks.zapier.com/⟦hooks/catch/1/⟧",
  "maker.ifttt.com/⟦trigger/x/with/key/⟧",
])("what lets anybody write to %s is removed", (place) =>
  check(`https://${place.replace("⟧", `${mixed(24)}⟧`)}`, "[webhook]"),
);

it.each([
  ["whole, with fields", `\nProc-Type: 4,ENCRYPTED\n\n${base64(64)}\n-----END RSA PRIVATE KEY-----`],
  ["cut off, in a string", `\\n${base64(64)}`],
  ["cut off, with fields, in a string", `\\nProc-Type: 4,ENCRYPTED\\n\\n${base64(64)}`],
])("a private key is removed: %s", (_, rest) =>
  check(`⟦-----BEGIN RSA PRIVATE KEY-----${rest}⟧`, "[private key]"),
);

it.each(["sk-ant-", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-", "github_pat_"])(
  "a key that begins with %s is removed in the middle of a word too",
  (prefix) => check(`keyis⟦${prefix}${mixed(40)}⟧`, "[key]"),
);
