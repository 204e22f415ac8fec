import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import { notify } from "../state/notices.ts";
import { t } from "../text/t.ts";

/**
 * Returns a component whose code loads when it is first shown. If the code cannot be loaded, for example because the server has
 * a newer version by now, the rest of the page continues and the person is offered to reload it.
 */
export function loadLater<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    try {
      return { default: await load() };
    } catch (error) {
      console.warn(error);
      notify({
        kind: "error",
        text: t("partNotLoaded"),
        action: { label: t("reload"), run: () => location.reload() },
      });
      return { default: () => null };
    }
  });
}
