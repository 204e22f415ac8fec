import type { ReactNode } from "react";

export interface ShareRow {
  key: string;
  name: string;
  /** The length of the bar. */
  share: number;
  cells: ReactNode[];
  alarming?: boolean;
}

interface ShareTableProps {
  caption: string;
  /** Set if a heading above says the same. */
  captionUnseen?: boolean;
  columns: string[];
  rows: readonly ShareRow[];
}

/** A table with a bar in its first column. */
export function ShareTable({ caption, captionUnseen = false, columns, rows }: ShareTableProps) {
  const most = Math.max(...rows.map(({ share }) => share), 0);
  const [first, ...others] = columns;
  return (
    <section className="share-table" tabIndex={0} aria-label={caption}>
      <table>
        <caption>
          <span className={captionUnseen ? "unseen" : undefined}>{caption}</span>
        </caption>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            {others.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, name, share, cells, alarming }) => (
            <tr key={key}>
              <th scope="row">
                <span>{name}</span>
                <svg className="share-bar" height="5" aria-hidden="true">
                  <rect className="share-ground" width="100%" height="5" rx="2" />
                  <rect
                    className={alarming ? "share-alarm" : "share-fill"}
                    width={`${most === 0 ? 0 : Math.max(1, (share / most) * 100)}%`}
                    height="5"
                    rx="2"
                  />
                </svg>
              </th>
              {cells.map((cell, index) => (
                <td key={others[index]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
