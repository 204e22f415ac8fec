import { t } from "../text/administration.ts";

/** Says in words what came of reaching out to a service. The server's own sentence names settings. */
export function reachText(state: string): string {
  if (state === "ok") return t("reachable");
  if (state.startsWith("the key was refused")) return t("serviceKeyRefused");
  const [, status] = /^answers with status (\d+)/.exec(state) ?? [];
  if (status !== undefined) return t("answersWithErrors", { status });
  return t("notReachable");
}
