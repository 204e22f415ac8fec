import { useState } from "react";
import type { AlwaysApproval } from "../../protocol/always.ts";
import type { AlwaysCovers } from "../../protocol/events.ts";
import { toolName } from "../choosing/tool-names.ts";
import { attempt, notify } from "../state/notices.ts";
import { ask } from "../state/server.ts";
import { t } from "../text/rules.ts";
import { moment } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { useRoute } from "../ui/loaded.ts";

/** What the person allowed for good, each with a way to take it back. */
export function AlwaysList() {
  const [turn, setTurn] = useState(0);
  const approvals = useRoute<{ approvals: AlwaysApproval[] }>("/me/approvals", turn)?.approvals;
  const remove = (id: string) =>
    void attempt(async () => {
      await ask("DELETE", `/me/approvals/${id}`);
      notify({ text: t("alwaysRemoved") });
      setTurn(turn + 1);
    });
  return (
    <section data-part="always">
      <h4>{t("alwaysTitle")}</h4>
      {approvals?.length === 0 && <p className="hint">{t("noAlways")}</p>}
      <ul className="settings-rows">
        {approvals?.map(({ id, covers, title, at }) => (
          <li key={id}>
            <div className="grow">
              <b dir="auto">{coveredWords(covers)}</b>
              <small dir="auto">
                {t("alwaysIn", { title })}
                {at !== undefined && ` · ${moment(new Date(at))}`}
              </small>
            </div>
            <Button className="quiet" onClick={() => remove(id)}>
              {t("remove")}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const FILE_ACTS = ["write", "edit", "move", "delete"] as const;

function coveredWords({ tool, command, prefix, operation, targets }: AlwaysCovers): string {
  if (command !== undefined) return t("alwaysThisCommand", { command });
  if (prefix !== undefined) return t("alwaysThisFamily", { prefix });
  if (targets?.length) return t("alwaysTheseTargets", { tool: toolName(tool), targets: targets.join(", ") });
  const files = tool === "filesystem" && FILE_ACTS.find((act) => act === operation);
  if (files) return t(`files_${files}`);
  return operation === undefined ? toolName(tool) : `${toolName(tool)}: ${operation}`;
}
