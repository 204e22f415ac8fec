import { useMemo, useState } from "react";
import { t } from "../text/t.ts";
import { Button } from "./button.tsx";
import { type PatchGap, type PatchLine, readPatch } from "./patch.ts";

/** Shows a patch: both line numbers, and the words that changed. Lines left out unfold where the old text is known. */
export function Diff({ text, before }: { text: string; before?: string }) {
  const rows = useMemo(() => readPatch(text), [text]);
  const lines = useMemo(() => before?.split("\n"), [before]);
  return (
    <section className="diff" tabIndex={0} aria-label={t("compare")}>
      {rows.map((row, index) =>
        row.kind === "gap" ? (
          <Gap key={index} gap={row} lines={lines} shift={shiftAt(rows, index)} />
        ) : (
          <Line key={index} line={row} />
        ),
      )}
      {lines && <Rest rows={rows} lines={lines} />}
    </section>
  );
}

/** Returns true if a text is a unified diff. */
export function isDiff(text: string): boolean {
  return /^(---|\+\+\+|@@) /m.test(text);
}

function Line({ line: { kind, before, after, text, changed } }: { line: PatchLine }) {
  const numbered = kind !== "name" && kind !== "other";
  return (
    <div className={`diff-${kind}`}>
      {numbered && <span className="diff-number">{before}</span>}
      {numbered && <span className="diff-number">{after}</span>}
      <code dir="ltr">
        {changed ? (
          <>
            {text.slice(0, changed[0])}
            <mark>{text.slice(...changed)}</mark>
            {text.slice(changed[1])}
          </>
        ) : (
          text
        )}
        {"\n"}
      </code>
    </div>
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
