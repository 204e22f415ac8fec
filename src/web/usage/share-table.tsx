import type { ReactNode } from "react";
import { Table } from "../ui/table.tsx";

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
  className?: string;
  columns: string[];
  rows: readonly ShareRow[];
}

/** A table with a bar in its first column. */
export function ShareTable({
  caption,
  captionUnseen = false,
  className = "",
  columns,
  rows,
}: ShareTableProps) {
  const most = Math.max(...rows.map(({ share }) => share), 0);
  return (
    <Table
      className={`numbers-table share-table ${className}`}
      label={caption}
      caption={<span className={captionUnseen ? "unseen" : undefined}>{caption}</span>}
      columns={columns}
      rows={rows.map(({ key, cells, ...row }) => ({
        key,
        cells: [<NameWithBar key="name" {...row} most={most} />, ...cells],
      }))}
    />
  );
}

function NameWithBar({ name, share, most, alarming }: Omit<ShareRow, "key" | "cells"> & { most: number }) {
  return (
    <>
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
    </>
  );
}
