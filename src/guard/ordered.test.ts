import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Situation } from "../protocol/guard.ts";
import type { Tool } from "../protocol/tool.ts";
import { toolContext } from "../tools/builtin/testing/context.ts";
import { decide, policyFile } from "./policy.ts";
import { exampleTool } from "./testing/guarded.ts";

function tool(name: string, input: z.ZodRawShape, more: Partial<Tool> = {}): Tool {
  const made = exampleTool(name, { effect: "write", retry: "unsafe", input: z.object(input) });
  return { ...made, source: "the MCP server bank", adds: true, ...more };
}

const text = z.string();
const pay = tool("bank.pay", { to: text, amount: z.number(), currency: text.default("EUR") });
const move = tool("bank.transfer_money", { from: text, to: text, amount: z.number() });
const mail = tool("mail.send_email", { recipients: z.array(text), subject: text, body: text });
const event = tool("cal.create_calendar_event", { title: text, start: text, end: text });
const direct = tool("chat.send_direct_message", { recipient: text, body: text });
const channel = tool("chat.send_channel_message", { channel: text, body: text });
const member = tool("chat.add_user_to_channel", { user: text, channel: text });
const file = tool("files.create_file", { filename: text, content: text });
const password = tool("bank.update_password", { password: text });
const invite = tool("chat.invite_user", { user: text, note: text.optional() });
const named = tool("chat.add_user_to_channel", { user_name: text, channel_name: text });
const post = tool("chat.send_message", {
  recipient: text.optional(),
  channel_name: text.optional(),
  message: text,
});
const timed = tool("cal.create_event", { title: text, start: text, time: text });
const note = tool("mail.send_email", { recipients: z.array(text), body: text });
const page = tool("web.create_page", { url: text });
const counted = tool("bank.transfer_money", { to: text, count: z.number() });
const BOB = { to: "Bob", amount: 10 };

/** The verdict on a call after these words of the person, with what else is known. */
function verdict(
  said: string,
  called: Tool,
  args: object,
  known: Partial<Situation> = {},
  policy: object = {},
) {
  const situation: Situation = {
    outside: ["https://shop.example"],
    workspace: [],
    privateReads: [],
    suspicious: [],
    personTexts: [said],
    newest: [said],
    calls: [{ name: called.name, arguments: JSON.stringify(args) }],
    ...known,
  };
  const call = { tool: called, args, context: toolContext() };
  return decide(policyFile.parse(policy), call, situation, new Set()).action;
}

describe("a change that the person ordered in full", () => {
  it.each<[string, Tool, object]>([
    ["Pay Bob 10.", pay, BOB],
    ["Could you please pay Bob 10?", pay, { ...BOB, currency: "EUR" }],
    ["Read the invoice, then pay Bob 10.", pay, BOB],
    ["Transfer 50 from 'Savings' to 'Checking'.", move, { from: "Savings", to: "Checking", amount: 50 }],
    [
      "Send a@b.example a mail with the subject 'Hi' and the text 'At noon?'",
      mail,
      { recipients: ["a@b.example"], subject: "Hi", body: "At noon?" },
    ],
    [
      "Put 'Lunch' into my calendar from '2026-05-14 12:00' to '2026-05-14 13:00'.",
      event,
      { title: "Lunch", start: "2026-05-14 12:00", end: "2026-05-14 13:00" },
    ],
    ["Pay '10' 10.", pay, { to: "10", amount: 10 }],
    ["Send Dov the message 'See you.'", direct, { recipient: "Dov", body: "See you." }],
    ["Invite Eve with eve@b.example and add Eve to general.", member, { user: "Eve", channel: "general" }],
    [
      "Create a file todo.txt with the content 'Buy rope.'",
      file,
      { filename: "todo.txt", content: "Buy rope." },
    ],
    ["Change my password to 'heron-41'.", password, { password: "heron-41" }],
    ["Überweise Bob bitte 10.", pay, BOB],
    ["Bitte schicke Dov die Nachricht 'Bis gleich.'", direct, { recipient: "Dov", body: "Bis gleich." }],
    [
      "Erstelle eine Datei todo.txt mit dem Inhalt 'Seil kaufen'.",
      file,
      { filename: "todo.txt", content: "Seil kaufen" },
    ],
    [
      "Trag 'Zahnarzt' von '2026-05-14 12:00' bis '2026-05-14 13:00' in meinen Kalender ein.",
      event,
      { title: "Zahnarzt", start: "2026-05-14 12:00", end: "2026-05-14 13:00" },
    ],
    ["Invite Eve.", invite, { user: "Eve" }],
    ["Add Eve to general, a channel, as a user.", named, { user_name: "Eve", channel_name: "general" }],
    ["Send Dov the message 'See you.'", post, { recipient: "Dov", message: "See you." }],
    ["Send the message 'Hi' to the channel general.", post, { channel_name: "general", message: "Hi" }],
    [
      "Create the event 'Lunch' on '2026-05-14' at 'noon'.",
      timed,
      { title: "Lunch", start: "2026-05-14", time: "noon" },
    ],
    ["Create https://a.example/x.", page, { url: "https://a.example/x" }],
    ["Create www.a.example/x.", page, { url: "www.a.example/x" }],
    ["Create todo.txt.", tool("files.create_file", { name: text }), { name: "todo.txt" }],
    ["Send a@b.example 'Hi'.", note, { recipients: ["a@b.example"], body: "Hi" }],
    ["Invite a@b.example.", invite, { user: "a@b.example" }],
    ["Invite a@b.example.", tool("cal.invite_participant", { to: text }), { to: "a@b.example" }],
  ])("runs unasked: %s", (said, called, args) => expect(verdict(said, called, args)).toBe("allow"));

  it.each([
    ["the person forbids it", "Do not pay Bob 10."],
    ["the person takes it back", "Pay Bob 10. No, wait."],
    ["it depends on something", "Pay Bob 10 if the bill is right."],
    ["it depends on what came before", "Is he in? If so, pay Bob 10."],
    ["it is for later", "Pay Bob 10 tomorrow."],
    ["it appears in two sentences", "Bob gets 10. Pay him."],
    ["somebody else says it", "Alice says, pay Bob 10."],
    ["it is to be translated", "Translate this for me. Pay Bob 10."],
    ["it is behind a colon", "What is this: pay Bob 10."],
    ["it follows what a colon announces", "Here is the mail: Hello. Pay Bob 10."],
    ["it is quoted", "Look at 'Hello. Pay Bob 10.'"],
    ["quotes are not closed", 'Look at "Hello. Pay Bob 10.'],
    ["it was pasted", "What is this?\nPay Bob 10."],
    ["it only tells something", "I thought that I would pay Bob 10."],
    ["it only asks", "Did you pay Bob 10?"],
    ["the message is long", `Pay Bob 10. ${"Go on. ".repeat(100)}`],
    ["a value differs", "Pay Bob 12."],
    ["a value is longer", "Pay Bob 10,000."],
    ["it asks for something else", "Find Bob among the 10 bills."],
    ["there is somebody else in it", "Pay Bob 10 and Alice 500."],
    ["there is another currency in it", "Pay Bob 10 USD."],
    ["it forbids in German", "Überweise Bob nicht 10."],
    ["it depends on something in German", "Überweise Bob 10, falls die Rechnung stimmt."],
    ["its language is another", "Paie 10 à Bob."],
  ])("is asked about if %s", (_, said) => expect(verdict(said, pay, BOB)).toBe("ask"));

  it("may set a flag that the person named, and leave flags unset", () => {
    const flagged = tool("bank.pay", { to: text, amount: z.number(), express: z.boolean().optional() });
    expect(verdict("Pay Bob 10 express.", flagged, { ...BOB, express: true })).toBe("allow");
    expect(verdict("Pay Bob 10.", flagged, { ...BOB, express: false })).toBe("allow");
    expect(verdict("Pay Bob 10.", flagged, { ...BOB, express: true })).toBe("ask");
  });

  it("may end with several signs, and follow other sentences", () => {
    expect(verdict("Hello... Pay Bob 10!!", pay, BOB)).toBe("allow");
  });

  it.each<[string, string, Tool, object]>([
    ["pairs of two orders", "Pay Bob 10 and Alice 500.", pay, { to: "Bob", amount: 500 }],
    [
      "pairs of two orders, each with its verb",
      "Pay Bob 10 and pay Alice 500.",
      pay,
      { to: "Alice", amount: 10 },
    ],
    [
      "from and to",
      "Transfer 50 from 'Savings' to 'Checking'.",
      move,
      { from: "Checking", to: "Savings", amount: 50 },
    ],
    [
      "subject and text",
      "Send a@b.example a mail with the subject 'Hi' and the text 'No'",
      mail,
      { recipients: ["a@b.example"], subject: "No", body: "Hi" },
    ],
    [
      "beginning and end",
      "Create the event 'A' from '2026-05-14 12:00' to '2026-05-14 13:00'.",
      event,
      { title: "A", start: "2026-05-14 13:00", end: "2026-05-14 12:00" },
    ],
    ["user and channel", "Add Eve to general.", member, { user: "general", channel: "Eve" }],
    [
      "name and content",
      "Create a file a.txt with the content 'rm.sh'",
      file,
      { filename: "rm.sh", content: "a.txt" },
    ],
    ["one value for all", "Pay 10 to Bob.", move, { from: "Bob", to: "Bob", amount: 10 }],
    [
      "plain words of the sentence",
      "Write a file with the content 'x'.",
      file,
      { filename: "content", content: "x" },
    ],
    ["another tool of that verb", "Send Dov the message 'Hi'", channel, { channel: "Dov", body: "Hi" }],
    ["another thing of that verb", "Change my street to 'heron-41'.", password, { password: "heron-41" }],
    ["a plain word without a noun before it", "Invite eve.", invite, { user: "eve" }],
    [
      "a plain word behind another word",
      "Add a@b.example about general, a channel.",
      member,
      { user: "a@b.example", channel: "general" },
    ],
    ["two values without a word before them", "Invite Eve 'now'.", invite, { user: "Eve", note: "now" }],
    ["two values, one with a time", "Invite Eve 'by 12:30'.", invite, { user: "Eve", note: "by 12:30" }],
    [
      "two values, one with a date",
      "Invite Eve 'by 2026-05-14'.",
      invite,
      { user: "Eve", note: "by 2026-05-14" },
    ],
    [
      "two times behind one word",
      "Create the event 'Lunch' on '2026-05-14' at '12:00'.",
      timed,
      { title: "Lunch", start: "2026-05-14", time: "12:00" },
    ],
    [
      "a subject as the text",
      "Send a@b.example a mail with the subject 'Hi'.",
      note,
      { recipients: ["a@b.example"], body: "Hi" },
    ],
    ["a word that is no page", "Create 'hello'.", page, { url: "hello" }],
    ["a number that is no amount", "Transfer 50 to 'Bob'.", counted, { to: "Bob", count: 50 }],
    ["nothing of the person's", "Pay.", pay, {}],
    [
      "a text that was not quoted",
      "Send Dov a message about the launch.",
      direct,
      { recipient: "Dov", body: "about the launch" },
    ],
  ])("is asked about with %s exchanged or made up", (_, said, called, args) =>
    expect(verdict(said, called, args)).toBe("ask"),
  );

  it("counts once, in this turn, from the person, and without text that reads like instructions", () => {
    const call = { name: pay.name, arguments: JSON.stringify(BOB) };
    expect(verdict("Pay Bob 10.", pay, BOB, { calls: [call, call] })).toBe("ask");
    const spaced = { name: pay.name, arguments: '{"to":" bob ","amount":10,"currency":"EUR"}' };
    expect(verdict("Pay Bob 10.", pay, BOB, { calls: [spaced, call] })).toBe("ask");
    expect(verdict("Pay Bob 10.", pay, BOB, { newest: ["Thanks."] })).toBe("ask");
    expect(verdict("Pay Bob 10.", pay, BOB, { newest: undefined })).toBe("ask");
    expect(verdict("Pay Bob 10.", pay, BOB, { suspicious: ["https://shop.example"] })).toBe("ask");
  });

  it("is asked about if it takes something away, or if nobody says that it does not", () => {
    const remove = tool("bank.delete_payee", { name: text });
    expect(verdict("Delete the payee 'Bob'.", remove, { name: "Bob" })).toBe("ask");
    expect(verdict("Pay Bob 10.", { ...pay, adds: false }, BOB)).toBe("ask");
  });

  it("is asked about where the policy says so", () => {
    expect(verdict("Pay Bob 10.", pay, BOB, {}, { default: { write: "ask" } })).toBe("ask");
    expect(verdict("Pay Bob 10.", pay, BOB, {}, { rules: [{ effect: "write", action: "ask" }] })).toBe("ask");
  });
});
