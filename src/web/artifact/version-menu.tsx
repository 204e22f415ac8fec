import type { ArtifactVersion } from "../state/server.ts";
import { clockTime, moment, t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";

interface Props {
  versions: readonly ArtifactVersion[];
  version: number | undefined;
  onVersion(version: number): void;
  onCompare(): void;
  onRestore(): void;
}

/** The version that is shown, and a menu of all: what changed in each, and when. */
export function VersionMenu({ versions, version, onVersion, onCompare, onRestore }: Props) {
  if (version === undefined) return null;
  const name = t("version", { version });
  const before = versions.findLast((one) => one.version < version);
  const isOld = version < (versions.at(-1)?.version ?? 0);
  const items = [
    ...versions.toReversed().map((one, index, all) => ({
      label: t("version", { version: one.version }),
      hint: `${changeOf(all[index + 1], one)} · ${timeOf(one.createdAt)}`,
      checked: one.version === version,
      run: () => onVersion(one.version),
    })),
    ...(before
      ? [{ label: t("compareWith", { version: before.version }), run: onCompare, apart: true }]
      : []),
    ...(isOld ? [{ label: t("restoreVersion"), run: onRestore, apart: before === undefined }] : []),
  ];
  return (
    <Menu label={name} items={items} align="start" className="quiet version">
      <span className="version-long">{name}</span>
      <span className="version-short" data-short={t("versionShort", { version })} />
      <Icon name="down" size="tiny" />
    </Menu>
  );
}

/** Counts lines: exact would be slow for long code, and the comparison shows it anyway. */
function changeOf(before: ArtifactVersion | undefined, after: ArtifactVersion): string {
  if (!before) return t("firstVersion");
  const [old, next] = [before, after].map(({ code }) => counted(code.split("\n")));
  return t("linesChanged", { count: missing(next, old), removed: missing(old, next) });
}

function counted(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** Returns how many lines of one text the other lacks. */
function missing(some: Map<string, number> = new Map(), others: Map<string, number> = new Map()): number {
  let count = 0;
  for (const [line, times] of some) count += Math.max(0, times - (others.get(line) ?? 0));
  return count;
}

function timeOf(createdAt: string): string {
  const date = new Date(createdAt);
  return date.toDateString() === new Date().toDateString() ? clockTime(date) : moment(date);
}
