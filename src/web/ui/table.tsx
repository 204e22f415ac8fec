import type { ReactNode } from "react";
import { t } from "../text/usage.ts";
import { useFade } from "./fade.ts";

interface Props {
  label: string;
  caption?: ReactNode;
  className?: string;
  columns: readonly string[];
  rows: readonly { key: string | number; cells: readonly ReactNode[] }[];
}

/** A table that scrolls on its own, and fades where it continues. The part of the page may have the same name. */
export function Table({ label, caption, className = "plot-table", columns, rows }: Props) {
  return (
    <section
      {...useFade()}
      className={`scrolling-table ${className}`}
      tabIndex={0}
      aria-label={t("tableOf", { name: label })}
    >
      <table aria-label={caption ? undefined : label}>
        {caption && <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [first, ...others] }) => (
            <tr key={key}>
              <th scope="row">{first}</th>
              {others.map((cell, index) => (
                <td key={columns[index + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
