import { expect, it } from "vitest";
import { namesThing, unaskedAction } from "./asked-actions.ts";

it("a tool that names no action is never unasked", () => {
  expect(unaskedAction("weather", [])).toBe("");
  expect(unaskedAction("server.get_weather", ["Hello"])).toBe("");
});

it.each([
  ["bank.pay", "Pay Bob.", ""],
  ["bank.pay", "Please settle the bill.", ""],
  ["bank.pay", "Read the invoice.", "pay"],
  ["delete_payment", "Delete it.", ""],
  ["delete_payment", "Pay it.", "delete_payment"],
  ["update_password", "Change my password.", ""],
  ["update_password", "Change my name.", "update_password"],
])("%s after “%s” is unasked: “%s”", (tool, said, unasked) => {
  expect(unaskedAction(tool, [said])).toBe(unasked);
});

it("short stems stand for a word and its endings, long ones for every word that begins so", () => {
  expect(unaskedAction("dm_user", ["Dms are fine."])).toBe("");
  expect(unaskedAction("add_event", ["Adding it"])).toBe("");
  expect(unaskedAction("add_event", ["An additional one"])).toBe("add_event");
  expect(unaskedAction("cancel_trip", ["The cancellation, now"])).toBe("");
});

it("the person has named a thing if its noun is among their words, and not its verb", () => {
  expect(namesThing("mail.delete_email", ["My emails"])).toBe(true);
  expect(namesThing("mail.delete_email", ["Delete it"])).toBe(false);
});
