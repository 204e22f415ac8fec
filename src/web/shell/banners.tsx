import { connection } from "../state/connection.ts";
import { person } from "../state/person.ts";
import type { Me } from "../state/server.ts";
import { view } from "../state/view.ts";
import { clockTime, t } from "../text/t.ts";
import { Waiting } from "./waiting.tsx";

/** What a person should know before writing: no connection, or not many questions left. */
export function Banners() {
  const { online, reachable } = connection();
  const me = person((state) => state.me);
  const limits = me?.kind === "guest" ? me.limits : undefined;
  const limit = limits?.chat;
  return (
    <>
      {!(online && reachable) && (
        <p className="banner" role="status">
          {t(online ? "unreachable" : "offline")}
        </p>
      )}
      <Waiting />
      {limit && (
        <p className="banner guest">
          {t("guestLeft", {
            remaining: limit.remaining,
            limit: limit.limit,
            time: clockTime(new Date(limit.resetAt)),
          })}{" "}
          {toolsLeft(limits)}{" "}
          <button type="button" className="link" onClick={() => view.setState({ dialog: "sign-in" })}>
            {t("guestSignUp")}
          </button>
        </p>
      )}
    </>
  );
}

const TOOL_ROWS = ["generate_artifact", "generate_image", "search", "web_fetch"] as const;

/** What is left of the tools' own limits, in a few words. */
function toolsLeft(limits: Me["limits"]): string {
  const list = TOOL_ROWS.flatMap((row) => {
    const found = limits?.[row];
    return found ? [t(`row_${row}`, { remaining: found.remaining })] : [];
  });
  return list.length === 0 ? "" : t("guestToolsLeft", { list: list.join(", ") });
}
