import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

/** Paints text, or leaves it as it is where colours are not wanted. */
export type Paint = (format: Format, text: string) => string;

interface Output {
  isTTY?: boolean;
  hasColors?(count?: number): boolean;
}

/** Colours for this output: none where it is no terminal, or where NO_COLOR or TERM says so. */
export function paintFor(output: Output): Paint {
  if (!output.isTTY || !output.hasColors?.()) return (_, text) => text;
  return (format, text) => (text === "" ? "" : styleText(format, text, { validateStream: false }));
}
