import { visibleText } from "../../protocol/visible-text.ts";
import { Approval } from "../chat/approval.tsx";
import { conversation } from "../state/conversation.ts";
import { t } from "../text/apps.ts";
import { sizeText } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import type { AppRequest } from "./use-app.ts";

/** A person may take this long to decide on a call of an app, as on any other. */
const DAY_MS = 86_400_000;

/** What an app wants and only the person can allow. */
export function AppRequests({ requests, server }: { requests: readonly AppRequest[]; server: string }) {
  return requests.map((request) => <OneRequest key={request.id} request={request} server={server} />);
}

function OneRequest({ request, server }: { request: AppRequest; server: string }) {
  const busy = conversation(({ live }) => live !== undefined);
  const dismiss = <Button onClick={() => request.settle("deny")}>{t("dismiss")}</Button>;
  switch (request.kind) {
    case "call": {
      const { toolName, arguments: args, ...approval } = request.approval;
      const call = {
        toolCallId: request.id,
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
            onDecide={async ({ decision }) => request.settle(decision)}
          />
        </div>
      );
    }
    case "message":
      return (
        <div className="app-request" role="status">
          <p>{t("appMessage", { server })}</p>
          <blockquote>{visibleText(request.text)}</blockquote>
          <Button className="primary" disabled={busy} onClick={() => request.settle("once")}>
            {t("sendIt")}
          </Button>
          {dismiss}
        </div>
      );
    case "link":
      return (
        <div className="app-request" role="status">
          <p>{t("appLink", { server, url: visibleText(request.url) })}</p>
          <a
            className="link"
            href={request.url}
            target="_blank"
            rel="noopener noreferrer nofollow"
            onClick={() => request.settle("once")}
          >
            {t("openLink")}
          </a>
          {dismiss}
        </div>
      );
    case "file":
      return (
        <div className="app-request" role="status">
          <p>
            {t("appDownload", {
              server,
              name: request.file.name,
              size: sizeText(request.file.bytes),
            })}
          </p>
          <Button className="primary" onClick={() => request.settle("once")}>
            {t("saveFile")}
          </Button>
          {dismiss}
        </div>
      );
  }
}
