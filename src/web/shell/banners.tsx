import { connection } from "../state/connection.ts";
import { person } from "../state/person.ts";
import { view } from "../state/view.ts";
import { clockTime, t } from "../text/t.ts";
import { Waiting } from "./waiting.tsx";

/** What a person should know before writing: no connection, or not many questions left. */
export function Banners() {
  const { online, reachable } = connection();
  const me = person((state) => state.me);
  const limit = me?.kind === "guest" ? me.limits?.chat : undefined;
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
          <button type="button" className="link" onClick={() => view.setState({ dialog: "sign-in" })}>
            {t("guestSignUp")}
          </button>
        </p>
      )}
    </>
  );
}
