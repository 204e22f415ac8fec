import { truncate, widthOf, wrap } from "./lines.ts";
import type { Paint } from "./style.ts";
import { oneLine } from "./wording.ts";

/** What checking a model may cost at most. Undefined if its price is not known. */
export interface CheckEstimate {
  model: string;
  requests: number;
  maxCostUsd: number | undefined;
}

export interface ShownCheck {
  check: string;
  status: "accepted" | "refused" | "not offered" | "error";
  detail: string;
}

/** What is about to be sent, and what it may cost. */
export function estimateLines(estimates: CheckEstimate[], columns: number, paint: Paint): string[] {
  const width = Math.max(5, ...estimates.map(({ model }) => widthOf(model)));
  const total = estimates.reduce((sum, { maxCostUsd }) => sum + (maxCostUsd ?? 0), 0);
  const unknown = estimates.some(({ maxCostUsd }) => maxCostUsd === undefined);
  const row = (model: string, requests: string, cost: string) =>
    truncate(`${model.padEnd(width)}  ${requests.padStart(8)}  ${cost.padStart(9)}`, columns);
  return [
    paint("dim", row("MODEL", "REQUESTS", "AT MOST")),
    ...estimates.map(({ model, requests, maxCostUsd }) => row(model, String(requests), costWord(maxCostUsd))),
    "",
    unknown
      ? `Estimated cost: ${total === 0 ? "" : `at most ${costWord(total)}, plus `}what is not known. TACKLE_PRICES sets prices.`
      : `Estimated cost: ${total === 0 ? "free" : `at most ${costWord(total)}`}.`,
  ];
}

function costWord(dollars: number | undefined): string {
  if (dollars === undefined) return "not known";
  if (dollars === 0) return "free";
  return `$${dollars < 0.1 ? Math.max(dollars, 0.0001).toFixed(4) : dollars.toFixed(2)}`;
}

const MARKS = {
  accepted: ["green", "✓"],
  refused: ["red", "✗"],
  "not offered": ["dim", "–"],
  error: ["yellow", "!"],
} as const;
const NAME_WIDTH = 18;
const STATUS_WIDTH = 11;

/** One row of the table. Long words of a vendor continue in the next lines. */
export function checkLines({ check, status, detail }: ShownCheck, columns: number, paint: Paint): string[] {
  const [format, mark] = MARKS[status];
  const head = `  ${paint(format, mark)} ${check.padEnd(NAME_WIDTH)}${paint(format, status.padEnd(STATUS_WIDTH))}  `;
  const indent = 4 + NAME_WIDTH + STATUS_WIDTH + 2;
  const room = Number.isFinite(columns) ? Math.max(20, columns - indent) : Number.MAX_SAFE_INTEGER;
  const [first = "", ...rest] = wrap([{ text: oneLine(detail) }], room, paint);
  return [`${head}${first}`.trimEnd(), ...rest.map((line) => " ".repeat(indent) + line)];
}

/** How many checks ended in which way. */
export function summaryLine(results: readonly ShownCheck[]): string {
  const count = (status: ShownCheck["status"]) => results.filter((result) => result.status === status).length;
  const parts = (["accepted", "refused", "not offered", "error"] as const)
    .map(
      (status) =>
        [count(status), status === "error" ? (count(status) === 1 ? "error" : "errors") : status] as const,
    )
    .filter(([number]) => number > 0);
  return `${parts.map(([number, word]) => `${number} ${word}`).join(", ")}.`;
}
