import { person } from "../state/person.ts";
import { t } from "../text/audit.ts";

/** Says who somebody is. `known` is their email address, if they have one. */
export function personName(id: string, known: string | undefined): string {
  if (id === "operator") return t("operator");
  if (id === "system") return t("theServer");
  if (id === "visitor") return t("aVisitor");
  const { me } = person.getState();
  if (me?.kind === "owner" && id === me.id) return t("local");
  return known ?? (id.startsWith("guest") ? t("aGuest") : id);
}
