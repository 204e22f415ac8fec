import { type ReactNode, useState } from "react";
import { type ArtifactVersion, ask } from "../state/server.ts";
import { t } from "../text/t.ts";
import { Counts, Diff } from "../ui/diff.tsx";
import { Icon } from "../ui/icons.tsx";
import { useLoaded } from "../ui/loaded.ts";
import { countChanges, readPatch } from "../ui/patch.ts";
import { Select } from "../ui/select.tsx";

interface Props {
  /** The artifact's address. */
  base: string;
  versions: readonly ArtifactVersion[];
  version: number;
}

/** Two versions and what differs between them. */
export function Compare({ base, versions, version }: Props) {
  const [pair, setPair] = useState<{ from: number; to: number }>();
  if (versions.length < 2) return <p className="status-line">{t("nothingToCompare")}</p>;
  const { from, to } = pair ?? pairOf(versions, version);
  const options = versions.map((one) => ({
    value: one.version,
    text: t("version", { version: one.version }),
  }));
  return (
    <Changes
      base={base}
      from={from}
      to={to}
      before={versions.find((one) => one.version === from)?.code}
      pickers={
        <>
          <Select<number>
            aria-label={t("olderVersion")}
            value={from}
            options={options}
            onChoose={(value) => setPair({ from: value, to })}
          />
          <Icon name="next" size="tiny" />
          <Select<number>
            aria-label={t("newerVersion")}
            value={to}
            options={options}
            onChoose={(value) => setPair({ from, to: value })}
          />
        </>
      }
    />
  );
}

/** The shown version and the one before, or the first two. */
function pairOf(versions: readonly ArtifactVersion[], version: number): { from: number; to: number } {
  const at = Math.max(
    1,
    versions.findIndex((one) => one.version === version),
  );
  return { from: versions[at - 1]?.version ?? 1, to: versions[at]?.version ?? version };
}

interface ChangesProps {
  base: string;
  from: number;
  to: number;
  before: string | undefined;
  pickers: ReactNode;
}

function Changes({ base, from, to, before, pickers }: ChangesProps) {
  const path = `${base}/diff?from=${from}&to=${to}`;
  const loaded = useLoaded(path, () => ask<{ diff: string }>("GET", path), { keep: true });
  const rows = readPatch(withoutNames(loaded?.diff ?? ""));
  const { added, removed } = countChanges(rows);
  return (
    <>
      <div className="compare-bar">
        {pickers}
        <span className="grow" />
        {loaded && <Counts added={added} removed={removed} />}
      </div>
      {loaded && added + removed === 0 && <p className="status-line">{t("sameVersions")}</p>}
      {loaded && added + removed > 0 && (
        <Diff sides text={withoutNames(loaded.diff)} {...(before === undefined ? {} : { before })} />
      )}
    </>
  );
}

/** The pickers name the versions already. */
function withoutNames(patch: string): string {
  return patch.replace(/^(?:=+\n)?--- .*\n\+\+\+ .*\n/, "");
}
