import { goToSignIn } from "../shell/address.ts";
import { connection, isCutOff } from "../state/connection.ts";
import { draft } from "../state/draft.ts";
import { person } from "../state/person.ts";
import { clockTime, t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";

/** A guest with this many questions left need not know. */
const ENOUGH = 5;

/** Says that what is in the message field goes into the answer once the server can be reached. */
export function SendsLater() {
  const waits = draft(({ sending, uploading }) => sending !== undefined && uploading.length === 0);
  const cut = connection(isCutOff);
  return waits && cut ? (
    <p className="questions-left" role="status">
      {t("sendsLater")}
    </p>
  ) : null;
}

/** Tells a guest how few questions are left. */
export function QuestionsLeft() {
  const me = person((state) => state.me);
  const chat = me?.kind === "guest" ? me.limits?.chat : undefined;
  if (!chat || chat.remaining >= ENOUGH || chat.remaining === 0) return null;
  const clock = clockTime(new Date(chat.resetAt));
  const count = chat.remaining;
  return (
    <p className="questions-left">
      {t(count === 1 ? "questionLeft" : "questionsLeft", { count, clock })} ·{" "}
      <Button className="link" onClick={goToSignIn}>
        {t("signInForMore")}
      </Button>
    </p>
  );
}
