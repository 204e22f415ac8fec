import { Failure } from "../protocol/failure.ts";

/** Returns a LIKE pattern in which the person's % and _ are ordinary characters. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}

/** Parses the time that a page of sessions ends before. */
export function pageTime(time: string): Date {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) throw new Failure("INVALID_INPUT", `"${time}" is not a time.`);
  return date;
}
