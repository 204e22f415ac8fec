import { Fragment, useMemo, useRef, useState } from "react";
import { t } from "../text/t.ts";
import { Button } from "./button.tsx";
import { isContent, type PatchGap, type PatchLine, readPatch } from "./patch.ts";
import { sideBySide } from "./side-by-side.ts";
import { useWide } from "./wide.ts";

/** From this width on, old and new may stand side by side. */
const WIDE = 900;

interface Props {
  text: string;
  /** The whole old text, if it is known. */
  before?: string;
  /** Whether old and new stand side by side where there is room. */
  sides?: boolean;
  /** False where the numbers of the lines are not known. */
  numbers?: boolean;
}

/** Shows a patch: both line numbers, and the words that changed. Lines left out unfold where the old text is known. */
export function Diff({ text, before, sides = false, numbers = true }: Props) {
  const place = useRef<HTMLElement>(null);
  const wide = useWide(place, sides ? WIDE : undefined);
  const rows = useMemo(() => readPatch(text), [text]);
  const lines = useMemo(() => before?.split("\n"), [before]);
  return (
    <section
      ref={place}
      className="diff"
      data-sides={wide}
      data-numbers={numbers}
      tabIndex={0}
      aria-label={t("compare")}
    >
      {wide
        ? sideBySide(rows).map((row, index) =>
            "whole" in row ? (
              <Row key={index} row={row.whole} lines={lines} shift={shiftAt(rows, row.at)} />
            ) : (
              <div key={index} className="diff-sides">
                <Side line={row.left} number={row.left?.before} />
                <Side line={row.right} number={row.right?.after} />
              </div>
            ),
          )
        : rows.map((row, index) => <Row key={index} row={row} lines={lines} shift={shiftAt(rows, index)} />)}
      {lines && <Rest rows={rows} lines={lines} />}
    </section>
  );
}

/** Returns true if a text is a unified diff. */
export function isDiff(text: string): boolean {
  return /^(---|\+\+\+|@@) /m.test(text);
}

interface RowProps {
  row: PatchLine | PatchGap;
  lines: readonly string[] | undefined;
  shift: number;
}

function Row({ row, lines, shift }: RowProps) {
  return row.kind === "gap" ? <Gap gap={row} lines={lines} shift={shift} /> : <Line line={row} />;
}

/** A line in one of two columns, or nothing where the other column has more. */
function Side({ line, number }: { line: PatchLine | undefined; number: number | undefined }) {
  return (
    <div className={line ? `diff-${line.kind}` : "diff-none"}>
      <span className="diff-number">{number}</span>
      <code dir="ltr">{line && <Words line={line} />}</code>
    </div>
  );
}

function Line({ line }: { line: PatchLine }) {
  const { kind, before, after } = line;
  const numbered = isContent(line);
  return (
    <div className={`diff-${kind}`}>
      {numbered && <span className="diff-number">{before}</span>}
      {numbered && <span className="diff-number">{after}</span>}
      <code dir="ltr">
        <Words line={line} />
        {"\n"}
      </code>
    </div>
  );
}

/** The text of a line, with the words marked that changed. */
function Words({ line: { text, changed = [], unended } }: { line: PatchLine }) {
  return (
    <>
      {changed.map(([from, to], index) => (
        <Fragment key={from}>
          {text.slice(changed[index - 1]?.[1] ?? 0, from)}
          <mark>{text.slice(from, to)}</mark>
        </Fragment>
      ))}
      {text.slice(changed.at(-1)?.[1] ?? 0)}
      {unended && <small className="diff-end">{t("noLastBreak")}</small>}
    </>
  );
}

/** How many lines were added and removed. */
export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="counts">
      <span>+{added}</span> <span>−{removed}</span>
    </span>
  );
}

interface GapProps {
  gap: PatchGap;
  lines: readonly string[] | undefined;
  /** By how much the numbers of the new text are larger. */
  shift: number;
}

function Gap({ gap: { before, count }, lines, shift }: GapProps) {
  const [open, setOpen] = useState(false);
  const words = t(count === 1 ? "lineUnchanged" : "linesUnchanged", { count });
  if (open)
    return (lines ?? []).slice(before - 1, before - 1 + count).map((text, index) => {
      const number = before + index;
      return <Line key={number} line={{ kind: "same", before: number, after: number + shift, text }} />;
    });
  return lines ? (
    <Button className="diff-gap" onClick={() => setOpen(true)}>
      {words}
    </Button>
  ) : (
    <div className="diff-gap">{words}</div>
  );
}

/** What follows the last change. */
function Rest({ rows, lines }: { rows: readonly (PatchLine | PatchGap)[]; lines: readonly string[] }) {
  const last = rows.findLast((row) => row.kind === "same" || row.kind === "removed");
  const from = (last?.kind === "same" || last?.kind === "removed" ? (last.before ?? 0) : 0) + 1;
  const count = (lines.at(-1) === "" ? lines.length - 1 : lines.length) - from + 1;
  if (count <= 0) return null;
  return <Gap gap={{ kind: "gap", before: from, count }} lines={lines} shift={shiftAt(rows, rows.length)} />;
}

function shiftAt(rows: readonly (PatchLine | PatchGap)[], end: number): number {
  return rows
    .slice(0, end)
    .reduce((sum, { kind }) => sum + (kind === "added" ? 1 : kind === "removed" ? -1 : 0), 0);
}
