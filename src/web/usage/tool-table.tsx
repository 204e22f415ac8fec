import type { ToolUsage } from "../../protocol/ledger.ts";
import { toolName } from "../choosing/tool-names.ts";
import { compact, dollars, duration, percent } from "../text/t.ts";
import { t } from "../text/usage.ts";
import { placeOfTime } from "./scale.ts";
import { ShareTable } from "./share-table.tsx";

/** Calls, failure rate, duration and cost of each tool. */
export function ToolTable({ tools, times = false }: { tools: readonly ToolUsage[]; times?: boolean }) {
  const longest = Math.max(...tools.map(({ p95Ms = 0 }) => p95Ms), 0);
  const columns = [t("tool"), t("calls"), t("failureRate"), ...(times ? [t("timeSpan")] : []), t("cost")];
  return (
    <ShareTable
      caption={t("byTool")}
      captionUnseen={times}
      {...(times ? { className: "times-table" } : {})}
      columns={columns}
      rows={tools.map(({ tool, calls, failures, costUsd, p50Ms, p95Ms }) => ({
        key: tool,
        name: toolName(tool),
        share: calls,
        cells: [
          compact(calls),
          <span key="rate" className={failures > 0 ? "bad" : undefined}>
            {percent(failures / calls)}
          </span>,
          ...(times ? [<Span key="times" half={p50Ms} most={p95Ms} longest={longest} />] : []),
          dollars(costUsd),
        ],
      }))}
    />
  );
}

interface SpanProps {
  half: number | undefined;
  most: number | undefined;
  longest: number;
}

/** The median and the 95th percentile of a tool's durations. */
function Span({ half, most, longest }: SpanProps) {
  if (half === undefined || most === undefined) return "–";
  const [from, to] = [placeOfTime(half, longest) * 92 + 4, placeOfTime(most, longest) * 92 + 4];
  return (
    <span className="time-span">
      <span>
        {duration(half)} · {duration(most)}
      </span>
      <svg height="8" aria-hidden="true">
        <line className="plot-line" x1="4%" x2="96%" y1="4" y2="4" />
        <line className="time-line" x1={`${from}%`} x2={`${to}%`} y1="4" y2="4" />
        <circle className="time-dot" cx={`${from}%`} cy="4" r="3.5" />
        <circle className="time-end" cx={`${to}%`} cy="4" r="2.5" />
      </svg>
    </span>
  );
}
