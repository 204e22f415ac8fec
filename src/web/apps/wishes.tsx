import { visibleText } from "../../protocol/visible-text.ts";
import { Approval } from "../chat/approval.tsx";
import { conversation } from "../state/conversation.ts";
import { t } from "../text/apps.ts";
import { number } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import type { Wish } from "./use-app.ts";

/** A person may take this long to decide on a call of an app, as on any other. */
const DAY_MS = 86_400_000;

/** What an app wants and only the person can allow. */
export function Wishes({ wishes, server }: { wishes: readonly Wish[]; server: string }) {
  return wishes.map((wish) => <OneWish key={wish.id} wish={wish} server={server} />);
}

function OneWish({ wish, server }: { wish: Wish; server: string }) {
  const busy = conversation(({ live }) => live !== undefined);
  const dismiss = <Button onClick={() => wish.settle("deny")}>{t("dismiss")}</Button>;
  switch (wish.kind) {
    case "call": {
      const { toolName, arguments: args, ...approval } = wish.approval;
      const call = {
        toolCallId: wish.id,
        toolName,
        arguments: args,
        textOffset: 0,
        status: "waiting" as const,
      };
      const expiresAt = new Date(Date.now() + DAY_MS).toISOString();
      return (
        <div role="status">
          <p className="hint">{t("appWantsCall", { server })}</p>
          <Approval
            call={call}
            approval={{ ...approval, expiresAt }}
            onDecide={async ({ decision }) => wish.settle(decision)}
          />
        </div>
      );
    }
    case "message":
      return (
        <div className="app-wish" role="status">
          <p>{t("appMessage", { server })}</p>
          <blockquote>{visibleText(wish.text)}</blockquote>
          <Button className="primary" disabled={busy} onClick={() => wish.settle("once")}>
            {t("sendIt")}
          </Button>
          {dismiss}
        </div>
      );
    case "link":
      return (
        <div className="app-wish" role="status">
          <p>{t("appLink", { server, url: visibleText(wish.url) })}</p>
          <a
            className="link"
            href={wish.url}
            target="_blank"
            rel="noopener noreferrer nofollow"
            onClick={() => wish.settle("once")}
          >
            {t("openLink")}
          </a>
          {dismiss}
        </div>
      );
    case "file":
      return (
        <div className="app-wish" role="status">
          <p>
            {t("appDownload", { server, name: wish.file.name, size: `${number(wish.file.bytes / 1000)} kB` })}
          </p>
          <Button className="primary" onClick={() => wish.settle("once")}>
            {t("saveFile")}
          </Button>
          {dismiss}
        </div>
      );
  }
}
