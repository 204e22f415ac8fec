import { describe, expect, it } from "vitest";
import {
  isName,
  isNamedBy,
  isNoun,
  isSameNoun,
  isSameVerb,
  isSecret,
  isVerb,
  labelAt,
  toolWords,
} from "./order-words.ts";

describe("verbs", () => {
  it("begin an order, in English and German, as commands", () => {
    for (const word of ["pay", "send", "zahl", "zahle", "sende", "senden", "look", "lies"])
      expect(isVerb(word), word).toBe(true);
    for (const word of ["paid", "pays", "zahlst", "hello", "", "looken"])
      expect(isVerb(word), word).toBe(false);
  });

  it("ask for the same if one kind has both", () => {
    expect(isSameVerb("überweise", "transfer")).toBe(true);
    expect(isSameVerb("put", "create")).toBe(true);
    expect(isSameVerb("write", "send")).toBe(true);
    expect(isSameVerb("pay", "invite")).toBe(false);
    expect(isSameVerb("look", "look")).toBe(false);
  });
});

describe("nouns", () => {
  it("mean the same in one or several, and in another language", () => {
    expect(isSameNoun("widget", "widgets")).toBe(true);
    expect(isSameNoun("mail", "emails")).toBe(true);
    expect(isSameNoun("datei", "document")).toBe(true);
    expect(isSameNoun("mail", "file")).toBe(false);
    expect(isSameNoun("sub", "sus")).toBe(false);
  });

  it("are of things, or of arguments", () => {
    for (const word of ["datei", "channel", "subject", "from"]) expect(isNoun(word), word).toBe(true);
    for (const word of ["bob", ""]) expect(isNoun(word), word).toBe(false);
  });

  it("are secrets if they open doors", () => {
    for (const word of ["password", "credential", "credentials", "pin", "role", "access", "kennwort"])
      expect(isSecret(word), word).toBe(true);
    for (const word of ["passwords", "pinboard", "monkey", "roleplay", "a token"])
      expect(isSecret(word), word).toBe(false);
  });
});

describe("the name of a tool", () => {
  it.each([
    ["bank.pay", { verb: "pay", things: [] }],
    ["send_email", { verb: "send", things: [{ words: ["email"], behind: "" }] }],
    ["chat.send_channel_message", { verb: "send", things: [{ words: ["channel", "message"], behind: "" }] }],
    [
      "addUserToChannel",
      {
        verb: "add",
        things: [
          { words: ["user"], behind: "" },
          { words: ["channel"], behind: "to" },
        ],
      },
    ],
    ["calendar_create", { verb: "create", things: [{ words: ["calendar"], behind: "" }] }],
    ["mail.mail_send_draft", { verb: "send", things: [{ words: ["draft"], behind: "" }] }],
    ["book_for_to_user", { verb: "book", things: [{ words: ["user"], behind: "to" }] }],
  ])("%s says what it does", (name, words) => expect(toolWords(name)).toEqual(words));

  it.each([
    "weather",
    "delete_file",
    "create_and_removed_file",
    "send_cancellation",
    "unshare",
    "look_up",
    "",
  ])("%s names no order", (name) => expect(toolWords(name)).toBeUndefined());
});

describe("the word before a value", () => {
  it.each([
    ["with the subject ", "subject"],
    ["with the Subject: ", "subject"],
    ["to my ", "to"],
    ["name= ", "name"],
    ["the address is ", ""],
    ["Send it to the address ", "to"],
    ["", ""],
    ["e-mail ", "e-mail"],
  ])("in %j is %j", (before, label) => expect(labelAt(before)).toBe(label));

  it("names an argument, or only hints at one", () => {
    for (const label of ["subject", "titled", "cc", "datei"]) expect(isName(label), label).toBe(true);
    for (const label of ["to", "with", "für", "bob", ""]) expect(isName(label), label).toBe(false);
  });

  it("may name this argument", () => {
    expect(isNamedBy("from", "sender_id")).toBe(true);
    expect(isNamedBy("to", "recipients")).toBe(true);
    expect(isNamedBy("channel", "channelName")).toBe(true);
    expect(isNamedBy("bis", "end")).toBe(true);
    expect(isNamedBy("from", "recipient")).toBe(false);
    expect(isNamedBy("colour", "size")).toBe(false);
  });
});
