import { z } from "zod";
import { defineTool } from "../../protocol/define-tool.ts";
import { Failure } from "../../protocol/failure.ts";

const MAX_SUGGESTIONS = 5;

export default defineTool({
  name: "get_time",
  description:
    "The current date, time, weekday and UTC offset in a time zone. Use it whenever an answer depends on today's date.",
  effect: "none",
  retry: "pure",
  trust: "trusted",
  input: z.object({
    timeZone: z
      .string()
      .min(1)
      .max(100)
      .default("UTC")
      .describe('IANA time zone, such as "Europe/Berlin" or "Asia/Tokyo"; UTC when left out'),
  }),
  run({ timeZone }, context) {
    const zone = knownZone(timeZone.trim());
    const now = context.now();
    const fields = fieldsIn(zone, now);
    const offset = offsetOf(fields, now);
    const date = `${fields.year}-${fields.month}-${fields.day}`;
    const time = `${fields.hour}:${fields.minute}:${fields.second}`;
    const iso = `${date}T${time}${offset}`;
    return {
      output: `It is ${fields.weekday}, ${date}, ${time} in ${zone} (UTC${offset}). ISO 8601: ${iso}`,
      data: { timeZone: zone, iso, weekday: fields.weekday, utcOffset: offset, utc: now.toISOString() },
    };
  },
});

function knownZone(zone: string): string {
  if (!isZone(zone)) {
    throw new Failure("TOOL_INVALID_ARGUMENTS", `"${zone}" is not a time zone. ${suggestion(zone)}`);
  }
  const wanted = zone.toLowerCase();
  return Intl.supportedValuesOf("timeZone").find((name) => name.toLowerCase() === wanted) ?? zone;
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function suggestion(zone: string): string {
  const wanted = zone.toLowerCase().replace(/[\s-]+/g, "_");
  const zones = Intl.supportedValuesOf("timeZone");
  const exact = zones.filter((name) => name.toLowerCase().split("/").at(-1) === wanted);
  const close = zones.filter((name) => !exact.includes(name) && name.toLowerCase().includes(wanted));
  const candidates = [...exact, ...close].slice(0, MAX_SUGGESTIONS);
  if (candidates.length === 0) return 'Use an IANA name, such as "Europe/Berlin" or "UTC".';
  return `Did you mean ${candidates.map((name) => `"${name}"`).join(" or ")}?`;
}

type Fields = Record<"year" | "month" | "day" | "hour" | "minute" | "second" | "weekday", string>;

function fieldsIn(zone: string, date: Date): Fields {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    weekday: "long",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  const parts = format.formatToParts(date).map((part) => [part.type, part.value]);
  return Object.fromEntries(parts) as Fields;
}

/** The offset from UTC, computed from the local time: `+05:45`. */
function offsetOf(fields: Fields, date: Date): string {
  const wall = Date.UTC(
    Number(fields.year),
    Number(fields.month) - 1,
    Number(fields.day),
    Number(fields.hour),
    Number(fields.minute),
    Number(fields.second),
  );
  const minutes = Math.round((wall - date.getTime()) / 60_000);
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  const distance = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${twoDigits(Math.floor(distance / 60))}:${twoDigits(distance % 60)}`;
}
