import { ProblemBox } from "../chat/problem.tsx";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";

/** Stands in for the whole page if it cannot be shown. */
export function PageFailed() {
  return (
    <main className="page-failed">
      <ProblemBox title={t("appFailed")} line={t("appFailedLine")}>
        <Button onClick={() => location.reload()}>{t("reload")}</Button>
      </ProblemBox>
    </main>
  );
}
