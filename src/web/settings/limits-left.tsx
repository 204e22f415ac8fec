import type { Me } from "../state/server.ts";
import { t } from "../text/settings.ts";
import { clockTime, number } from "../text/t.ts";
import { useRoute } from "../ui/loaded.ts";

const NAMES = ["chat", "generate_artifact", "generate_image", "search", "web_fetch"] as const;

/** What of the server's limits is left, and when more is. What was never used needs no line. */
export function LimitsLeft() {
  const limits = useRoute<Me>("/me")?.limits;
  if (!limits) return null;
  return (
    <section className="limits-left">
      <h4>{t("leftNow")}</h4>
      <ul className="settings-rows">
        {NAMES.map((name) => {
          const one = limits[name];
          if (!one) return null;
          const { limit, remaining, resetAt } = one;
          if (remaining === limit && name !== "chat") return null;
          return (
            <li key={name}>
              <span className="grow">
                {t(`limit_${name}`)}
                {remaining < limit && <small>{t("leftUntil", { time: clockTime(new Date(resetAt)) })}</small>}
              </span>
              {t("leftOf", { left: number(remaining), limit: number(limit) })}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
