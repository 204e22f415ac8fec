import { useLayoutEffect, useRef, useState } from "react";
import { dayText } from "../text/t.ts";
import { t } from "../text/usage.ts";
import { Table } from "../ui/table.tsx";
import { niceTop } from "./scale.ts";

interface DayValue {
  /** `2026-11-15`. */
  day: string;
  value: number;
}

interface DayBarsProps {
  label: string;
  days: readonly DayValue[];
  format(value: number): string;
}

const HEIGHT = 150;
const TOP = 12;
const BOTTOM = 20;
const LEFT = 52;
/** The space that a date below the bars needs. */
const LABEL_WIDTH = 64;

/** One bar for each day, and the same numbers as a table. */
export function DayBars({ label, days, format }: DayBarsProps) {
  const [holder, width] = useWidth();
  const most = days.reduce((found, one) => (one.value > found.value ? one : found), { day: "", value: 0 });
  const total = days.reduce((sum, { value }) => sum + value, 0);
  const top = niceTop(most.value);
  const room = HEIGHT - TOP - BOTTOM;
  const step = Math.max(1, width - LEFT) / Math.max(1, days.length);
  const each = Math.max(1, Math.ceil(LABEL_WIDTH / step));
  const heightOf = (value: number) => (top === 0 ? 0 : (value / top) * room);
  const summary = t("plotSummary", {
    label,
    total: format(total),
    most: format(most.value),
    day: most.day === "" ? "–" : dayText(most.day),
  });
  return (
    <figure className="plot">
      <figcaption>{label}</figcaption>
      <div ref={holder}>
        <svg width={width} height={HEIGHT} role="img" aria-label={summary}>
          {[0, 0.5, 1].map((part) => (
            <g key={part}>
              <line className="plot-line" x1={LEFT} x2={width} y1={yOf(part, room)} y2={yOf(part, room)} />
              <text className="plot-text" x={LEFT - 6} y={yOf(part, room) + 4} textAnchor="end">
                {format(top * part)}
              </text>
            </g>
          ))}
          {days.map(({ day, value }, index) => (
            <g key={day}>
              <rect
                className="plot-bar"
                x={LEFT + index * step + Math.min(1, step / 6)}
                y={HEIGHT - BOTTOM - heightOf(value)}
                width={Math.max(1, step - Math.min(3, step / 3))}
                height={heightOf(value)}
                rx={Math.min(2, step / 4)}
              >
                <title>{`${dayText(day)}: ${format(value)}`}</title>
              </rect>
              {(days.length - 1 - index) % each === 0 && (
                <text
                  className="plot-text"
                  x={Math.min(LEFT + (index + 0.5) * step, width - 20)}
                  y={HEIGHT - 5}
                  textAnchor="middle"
                >
                  {dayText(day)}
                </text>
              )}
            </g>
          ))}
        </svg>
      </div>
      <details>
        <summary>{t("asTable")}</summary>
        <Table
          label={label}
          columns={[t("day"), label]}
          rows={days.map(({ day, value }) => ({ key: day, cells: [dayText(day), format(value)] }))}
        />
      </details>
    </figure>
  );
}

function yOf(part: number, room: number): number {
  return TOP + (1 - part) * room;
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
