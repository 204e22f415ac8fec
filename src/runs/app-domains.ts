import type { AppDomains } from "../protocol/apps.ts";

/** An origin as a policy names it. Anything else could add directives of its own. */
const ORIGIN = /^(https?|wss?):\/\/(\*\.)?([a-z0-9.-]+)(:\d{1,5})?$/;

/** Returns what an app may reach: what it declares, where the operator lets it. */
export function grantedDomains(declared: AppDomains, allowed: readonly string[]): AppDomains {
  const granted = (wanted: string[] = []) => wanted.filter((origin) => isAllowed(origin, allowed));
  const connectDomains = granted(declared.connectDomains);
  const resourceDomains = granted(declared.resourceDomains);
  return {
    ...(connectDomains.length > 0 ? { connectDomains } : {}),
    ...(resourceDomains.length > 0 ? { resourceDomains } : {}),
  };
}

/** Returns what an app declares and may not reach. */
export function refusedDomains(declared: AppDomains, allowed: readonly string[]): string[] {
  const wanted = new Set([...(declared.connectDomains ?? []), ...(declared.resourceDomains ?? [])]);
  return [...wanted].filter((origin) => !isAllowed(origin, allowed)).slice(0, 20);
}

function isAllowed(origin: string, allowed: readonly string[]): boolean {
  const wanted = ORIGIN.exec(origin);
  if (!wanted) return false;
  return allowed.some((one) => {
    const given = ORIGIN.exec(one.toLowerCase());
    if (!given || given[1] !== wanted[1] || given[4] !== wanted[4]) return false;
    const [host = "", own = ""] = [wanted[3], given[3]];
    if (wanted[2] && !given[2]) return false;
    return host === own
      ? !given[2] || wanted[2] !== undefined
      : Boolean(given[2]) && host.endsWith(`.${own}`);
  });
}
