import { expect, test } from "vitest";
import getTime from "./get_time.ts";
import { toolContext } from "./testing/context.ts";

const at = (iso: string) => toolContext({ now: () => new Date(iso) });

async function ask(args: unknown, iso = "2026-03-03T05:06:07Z") {
  const parsed = getTime.parse(args);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return getTime.run(parsed.value, at(iso));
}

test("returns UTC if no time zone is given", async () => {
  expect((await ask({})).output).toBe(
    "It is Tuesday, 2026-03-03, 05:06:07 in UTC (UTC+00:00). ISO 8601: 2026-03-03T05:06:07+00:00",
  );
});

test.each([
  ["Asia/Tokyo", "2026-03-03T14:06:07+09:00", "Tuesday"],
  ["asia/kathmandu", "2026-03-03T10:51:07+05:45", "Tuesday"],
  ["America/New_York", "2026-03-03T00:06:07-05:00", "Tuesday"],
  ["Pacific/Honolulu", "2026-03-02T19:06:07-10:00", "Monday"],
])("%s has its own wall clock, weekday and offset", async (timeZone, iso, weekday) => {
  expect((await ask({ timeZone })).data).toMatchObject({ iso, weekday, utc: "2026-03-03T05:06:07.000Z" });
});

test("the offset follows daylight saving time", async () => {
  const winter = await ask({ timeZone: "Europe/Berlin" }, "2026-01-15T12:00:00Z");
  const summer = await ask({ timeZone: "Europe/Berlin" }, "2026-07-15T12:00:00Z");
  expect([winter.data, summer.data]).toMatchObject([{ utcOffset: "+01:00" }, { utcOffset: "+02:00" }]);
});

test.each([
  ["Tokyo", "Asia/Tokyo"],
  ["new york", "America/New_York"],
])("suggests a time zone for the city %s", async (timeZone, zone) => {
  await expect(ask({ timeZone })).rejects.toMatchObject({
    code: "TOOL_INVALID_ARGUMENTS",
    publicMessage: expect.stringContaining(zone),
  });
});

test("refuses an unknown zone with an example of a valid one", async () => {
  await expect(ask({ timeZone: "Middle/Earth" })).rejects.toThrow('such as "Europe/Berlin"');
});
