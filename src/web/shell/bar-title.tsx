import { sessions } from "../state/sessions.ts";
import { temporary } from "../state/temporary.ts";
import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { openConversation, sessionItems } from "./session-items.ts";

/** The title of the open conversation, with a menu of what can be done with it. */
export function BarTitle({ title }: { title: string }) {
  // What the menu offers depends on both.
  sessions();
  temporary();
  if (title === "") return <span className="grow" />;
  const session = openConversation();
  return (
    <div className="bar-title">
      <h1 dir="auto">{title}</h1>
      {session && (
        <Menu
          label={t("conversationMenu")}
          align="start"
          items={sessionItems(session, () => view.setState({ renaming: session }))}
        >
          <Icon name="down" size="tiny" />
        </Menu>
      )}
    </div>
  );
}
