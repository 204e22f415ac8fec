import type { Compaction } from "../../protocol/context.ts";
import { inThousands } from "../../protocol/in-thousands.ts";
import { t } from "../text/t.ts";

/** Says that older messages were shortened for the model. */
export function CompactionLine({ messages, tokensBefore, tokensAfter }: Compaction) {
  return (
    <p className="status-line">
      {t("compacted", {
        messages,
        before: inThousands(tokensBefore),
        after: inThousands(tokensAfter),
      })}
    </p>
  );
}
