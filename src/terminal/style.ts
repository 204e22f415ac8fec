import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

/** Formats text, or returns it unchanged where colors are off. */
export type Paint = (format: Format, text: string) => string;

interface Output {
  isTTY?: boolean;
  hasColors?(count?: number): boolean;
}

/** The formatter for an output. It does nothing without a terminal or with NO_COLOR. */
export function paintFor(output: Output): Paint {
  if (!output.isTTY || !output.hasColors?.()) return (_, text) => text;
  return (format, text) => (text === "" ? "" : styleText(format, text, { validateStream: false }));
}
