import type { Tokens } from "marked";
import { type CSSProperties, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { directionOfText } from "../text/languages.ts";
import { useFade } from "../ui/fade.ts";

interface Props {
  table: Tokens.Table;
  /** More rows may follow. */
  grows: boolean;
  words(cell: Tokens.TableCell): ReactNode;
}

/**
 * A table that scrolls if it is wider than the text, and fades on the side where it goes on. One that is being written appears
 * with its first row, whose columns are kept: each row would push them aside otherwise.
 */
export function Table({ table: { header, rows, align, raw }, grows, words }: Props) {
  const finished = grows && !raw.endsWith("\n") ? rows.slice(0, -1) : rows;
  const isShown = !grows || finished.length > 0;
  const head = useRef<HTMLTableRowElement>(null);
  const [widths, setWidths] = useState<string[]>();
  useLayoutEffect(() => {
    if (grows && isShown) setWidths((kept) => kept ?? widthsOf(head.current));
  }, [grows, isShown]);
  const dir = directionOfText(raw);
  // Digits have no direction of their own, so their end is named.
  const end = dir === "rtl" ? "left" : "end";
  const numeric = header.map((_, index) => isNumeric(index, finished));
  const side = (index: number) =>
    ({ textAlign: align[index] ?? (numeric[index] ? end : undefined) }) as const;
  const fade = useFade();
  return (
    <div {...fade} className="table" dir={dir} tabIndex={0} hidden={!isShown}>
      {isShown && (
        <table>
          {widths && (
            <colgroup>
              {widths.map((width, index) => (
                <col key={index} style={{ "--width": width } as CSSProperties} />
              ))}
            </colgroup>
          )}
          <thead>
            <tr ref={head}>
              {header.map((cell, index) => (
                <th
                  key={index}
                  className={isWordy(index, finished) ? "wordy" : undefined}
                  style={side(index)}
                  dir="auto"
                >
                  {words(cell)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={at}>
                {row.map((cell, index) => (
                  <td key={index} style={side(index)} dir="auto">
                    {words(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

/** Returns the parts of the whole width that the columns take. */
function widthsOf(head: HTMLTableRowElement | null): string[] {
  const widths = [...(head?.cells ?? [])].map((cell) => cell.getBoundingClientRect().width);
  const whole = widths.reduce((sum, width) => sum + width, 0);
  return widths.map((width) => `${((width / whole) * 100).toFixed(3)}%`);
}

/** A column with a cell of more characters is not squeezed until each word has its own line. */
const WORDY = 24;

function isWordy(column: number, rows: Tokens.TableCell[][]): boolean {
  return column > 0 && rows.some((row) => (row[column]?.text.length ?? 0) > WORDY);
}

function isNumeric(column: number, rows: Tokens.TableCell[][]): boolean {
  return column > 0 && rows.length > 0 && rows.every((row) => isNumber(row[column]?.text ?? ""));
}

/** Digits with what may stand around them, such as €10,800, −3.5% and 12 kB. An empty cell does no harm. */
function isNumber(text: string): boolean {
  return (
    text.length < 40 && /^\**[^\p{L}\d]{0,4}(?:\d[\d.,\u202f\u00a0' ]*)?\s?[\p{L}%°€$£¥]{0,3}\**$/u.test(text)
  );
}
