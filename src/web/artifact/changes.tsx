import { ask } from "../state/server.ts";
import { t } from "../text/t.ts";
import { Diff } from "../ui/diff.tsx";
import { useLoaded } from "../ui/loaded.ts";

/** The difference between a version and the one before. */
export function Changes({ base, version }: { base: string; version: number }) {
  const path = `${base}/diff?from=${version - 1}&to=${version}`;
  const loaded = useLoaded(path, () => ask<{ diff: string }>("GET", path));
  return loaded ? <Diff text={loaded.diff} /> : <p className="status-line">{t("loading")}</p>;
}
