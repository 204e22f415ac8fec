import { afterEach, expect, it, vi } from "vitest";
import { dateText, dayText, dollars, moment, t } from "./t.ts";
import { inOwnWords, showLanguage } from "./translate.ts";

vi.stubGlobal("document", { documentElement: { dataset: {} } });
afterEach(() => {
  vi.unstubAllEnvs();
  return showLanguage("en");
});

it("sets names from the left apart in texts from the right", async () => {
  await showLanguage("ar");
  expect(t("removeAttachment", { name: "plan.md" })).toContain("\u2068plan.md\u2069");
  expect(t("removeAttachment", { name: "خطة" })).not.toContain("\u2068");
  await showLanguage("de");
  expect(t("removeAttachment", { name: "plan.md" })).not.toContain("\u2068");
});

it("writes sums of money as the language does", async () => {
  expect(dollars(1234.5)).toBe("$1,234.50");
  expect(dollars(0.0016)).toBe("$0.0016");
  await showLanguage("de");
  expect(dollars(0.0016)).toBe("0,0016\u00a0$");
});

it("writes the year of a day unless it is this one, and always where a page is kept", async () => {
  const thisYear = String(new Date().getFullYear());
  expect(dayText(`${thisYear}-03-09`)).toBe("Mar 9");
  expect(dayText("2019-03-09")).toBe("Mar 9, 2019");
  expect(moment(new Date(2019, 2, 9, 14, 5))).toMatch(/^Mar 9, 2019, 2:05\sPM$/);
  expect(dateText(`${thisYear}-03-09`)).toBe(`March 9, ${thisYear}`);
});

it("names the day of a time where the person is", () => {
  vi.stubEnv("TZ", "Asia/Tokyo");
  expect(dayText("2019-03-09T20:00:00Z")).toBe("Mar 10, 2019");
  expect(dateText("2019-03-09T20:00:00Z")).toBe("March 10, 2019");
  expect(dayText("2019-03-09")).toBe("Mar 9, 2019");
});

it("says what the server refuses in the person's language", async () => {
  const sentence = "You can have 3 projects. Delete one first.";
  expect(inOwnWords(sentence)).toBe(sentence);
  await showLanguage("de");
  expect(inOwnWords(sentence)).toBe("Du kannst 3 Projekte haben. Lösche erst eines.");
  expect(inOwnWords("Nothing that is known.")).toBe("Nothing that is known.");
  await showLanguage("en");
  expect(inOwnWords("This session belongs to somebody else.")).toBe(
    "This conversation belongs to somebody else.",
  );
});
