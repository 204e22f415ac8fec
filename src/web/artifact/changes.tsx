import { useEffect, useState } from "react";
import { notifyFailure } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/t.ts";
import { Diff } from "../ui/diff.tsx";

/** What a version changed in the one before it. */
export function Changes({ base, version }: { base: string | undefined; version: number }) {
  const [diff, setDiff] = useState<string>();
  useEffect(() => {
    setDiff(undefined);
    if (base === undefined || version < 2) return;
    ask<{ diff: string }>("GET", `${base}/diff?from=${version - 1}&to=${version}`)
      .then((answer) => setDiff(answer.diff))
      .catch(notifyFailure);
  }, [base, version]);
  if (version < 2) return <p className="status-line">{t("noChanges")}</p>;
  return diff === undefined ? <p className="status-line">{t("loading")}</p> : <Diff text={diff} />;
}
