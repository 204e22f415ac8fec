import { view } from "../state/view.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import type { MenuItem } from "../ui/menu.tsx";
import { goToProject } from "./address.ts";
import type { Known } from "./session-items.ts";

/** Opens the projects. */
export function ProjectsRow() {
  const page = view((state) => state.page);
  return (
    <Button
      className="nav-row"
      aria-current={page === "projects" ? "page" : undefined}
      onClick={() => goToProject()}
    >
      <Icon name="folder" />
      {t("projects")}
    </Button>
  );
}

/** The entry of a conversation's menu that moves it to a project. */
export function moveItem(session: Known): MenuItem {
  return { label: t("moveToProject"), icon: "folder", run: () => view.setState({ moving: [session] }) };
}
