import { useLayoutEffect, useRef, useState } from "react";
import { clockTime, dayText, moment } from "../text/t.ts";
import { t } from "../text/usage.ts";
import { Table } from "../ui/table.tsx";
import { scaleOf, type Unit } from "./scale.ts";

interface PeriodBarsProps {
  label: string;
  /** `at` is a day such as `2026-11-15`, or the start of an hour. */
  points: readonly { at: string; value: number }[];
  unit: Unit;
  /** The number of the whole period, if it is not the sum; null if there is none. */
  total?: number | null;
  /** Shown instead of the bars if all are zero. */
  empty?: string;
}

const HEIGHT = 150;
const TOP = 12;
const BOTTOM = 20;
const LEAST_LEFT = 52;
const CHARACTER_WIDTH = 7.5;
/** The space that a date below the bars needs. */
const LABEL_WIDTH = 72;

/** One bar for each day or hour, and the same numbers as a table. */
export function PeriodBars({ label, points, unit, total, empty = t("nothingUsed") }: PeriodBarsProps) {
  const most = points.reduce((found, one) => (one.value > found.value ? one : found), { at: "", value: 0 });
  const sum = points.reduce((all, { value }) => all + value, 0);
  const isByHour = points.some(({ at }) => !isDay(at));
  const { format } = scaleOf(most.value, unit);
  if (most.value === 0)
    return (
      <figure className="plot">
        <figcaption>{label}</figcaption>
        <p className="hint">{empty}</p>
      </figure>
    );
  const facts = { label, most: format(most.value), day: longText(most.at) };
  const summary =
    total === null
      ? t(isByHour ? "plotMostHour" : "plotMost", facts)
      : t(isByHour ? "plotSummaryHour" : "plotSummary", { ...facts, total: format(total ?? sum) });
  return (
    <figure className="plot">
      <figcaption>{label}</figcaption>
      <Bars points={points} most={most.value} unit={unit} summary={summary} />
      <details>
        <summary>{t("asTable")}</summary>
        <Table
          label={label}
          columns={[t(isByHour ? "hour" : "day"), label]}
          rows={points.map(({ at, value }) => ({ key: at, cells: [longText(at), format(value)] }))}
        />
      </details>
    </figure>
  );
}

interface BarsProps extends Pick<PeriodBarsProps, "points" | "unit"> {
  most: number;
  summary: string;
}

function Bars({ points, most, unit, summary }: BarsProps) {
  const [holder, width] = useWidth();
  const { top, text, format } = scaleOf(most, unit);
  const marks = [0, 0.5, 1].map((part) => ({ part, text: text(top * part) }));
  const left = Math.max(LEAST_LEFT, ...marks.map((mark) => mark.text.length * CHARACTER_WIDTH + 6));
  const room = HEIGHT - TOP - BOTTOM;
  const step = Math.max(1, width - left) / Math.max(1, points.length);
  const each = Math.max(1, Math.ceil(LABEL_WIDTH / step));
  const yOf = (part: number) => TOP + (1 - part) * room;
  return (
    <div ref={holder}>
      {/* Time goes from left to right in every language, and an anchor is at the same end of its text. */}
      <svg width={width} height={HEIGHT} role="img" aria-label={summary} direction="ltr">
        {marks.map(({ part, text: mark }) => (
          <g key={part}>
            <line className="plot-line" x1={left} x2={width} y1={yOf(part)} y2={yOf(part)} />
            <text className="plot-text" x={left - 6} y={yOf(part) + 4} textAnchor="end">
              {mark}
            </text>
          </g>
        ))}
        {points.map(({ at, value }, index) => (
          <g key={at}>
            <rect
              className="plot-bar"
              x={left + index * step + Math.min(1, step / 6)}
              y={yOf(value / top)}
              width={Math.max(1, step - Math.min(3, step / 3))}
              height={(value / top) * room}
              rx={Math.min(2, step / 4)}
            >
              <title>{`${longText(at)}: ${format(value)}`}</title>
            </rect>
            {(points.length - 1 - index) % each === 0 && (
              <text className="plot-text" {...labelPlace(left + (index + 0.5) * step, width)} y={HEIGHT - 5}>
                {isDay(at) ? dayText(at) : clockTime(new Date(at))}
              </text>
            )}
          </g>
        ))}
      </svg>
    </div>
  );
}

/** Below the middle of its bar, but never beyond the edge. */
function labelPlace(middle: number, width: number) {
  const fits = middle + LABEL_WIDTH / 2 <= width;
  return fits ? { x: middle, textAnchor: "middle" as const } : { x: width, textAnchor: "end" as const };
}

function isDay(at: string): boolean {
  return !at.includes("T");
}

function longText(at: string): string {
  return isDay(at) ? dayText(at) : moment(new Date(at));
}

/** Measures the available width: text in an SVG keeps its size only if the SVG is not scaled. */
function useWidth() {
  const holder = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(480);
  useLayoutEffect(() => {
    const element = holder.current;
    if (!element) return;
    const measure = () => setWidth(Math.max(160, Math.floor(element.clientWidth)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [holder, width] as const;
}
