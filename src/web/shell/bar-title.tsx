import type { Session } from "../../protocol/sessions.ts";
import { sessions } from "../state/sessions.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { sessionItems } from "./session-items.ts";

/** The title of the open conversation, with a menu of what can be done with it. */
export function BarTitle({ title, sessionId }: { title: string; sessionId: string | undefined }) {
  const isOpen = ({ id }: Session) => id === sessionId;
  const session = sessions((state) => state.pinned.find(isOpen) ?? state.sessions.find(isOpen));
  if (title === "") return <span className="grow" />;
  return (
    <div className="bar-title">
      <h1 dir="auto">{title}</h1>
      {session && (
        <Menu
          label={t("conversationMenu")}
          align="start"
          items={sessionItems(session, () => view.setState({ dialog: "rename" }))}
        >
          <Icon name="down" size="tiny" />
        </Menu>
      )}
    </div>
  );
}
