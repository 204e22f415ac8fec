import { limitsRequest } from "../../protocol/accounts.ts";
import { Failure } from "../../protocol/failure.ts";
import { LIMITED_ROLES } from "../../protocol/limits.ts";
import { administrator, checkPerson } from "../administrator.ts";
import { aboutAct } from "../audited.ts";
import { readRequest } from "../body.ts";
import { pathParameter, type Route, route } from "../context.ts";
import { accountsOf, administrationOf } from "../dependencies.ts";
import { readErrors } from "../error-report.ts";
import { readFeedback } from "../feedback-report.ts";
import { namesOf } from "../names.ts";
import { readUsage } from "../usage-report.ts";
import { auditRoute } from "./audit.ts";
import { modelOfferRoutes } from "./model-offers.ts";

/** Usage, errors, limits, breakers and the audit log, for administrators. */
export function administrationRoutes(): Route[] {
  return [
    route("GET /admin/usage", async (c) => {
      await administrator(c);
      return c.json(await readUsage(c, administrationOf(c)));
    }),
    route("GET /admin/now", async (c) => {
      await administrator(c);
      const { approvals, runs, ...rest } = await administrationOf(c).situation();
      const names = await namesOf(
        c.get("server"),
        new Set([...approvals, ...runs].map(({ userId }) => userId)),
      );
      const named = <Entry extends { userId: string }>(entry: Entry) => ({
        ...entry,
        user: names.get(entry.userId) ?? entry.userId,
      });
      return c.json({ runs: runs.map(named), approvals: approvals.map(named), ...rest });
    }),
    route("GET /admin/runs", async (c) => {
      await administrator(c);
      const { runs } = await administrationOf(c).situation();
      const names = await namesOf(c.get("server"), new Set(runs.map(({ userId }) => userId)));
      return c.json({ runs: runs.map((run) => ({ ...run, user: names.get(run.userId) ?? run.userId })) });
    }),
    route("POST /admin/runs/:id/cancel", async (c) => {
      await administrator(c);
      const id = pathParameter(c, "id");
      aboutAct(c, { subject: { target: id } });
      await administrationOf(c).stopRun(id);
      return c.body(null, 204);
    }),
    route("GET /admin/limits", async (c) => {
      await administrator(c);
      return c.json(await administrationOf(c).serverLimits());
    }),
    route("PUT /admin/limits/:role", async (c) => {
      const { limits } = await readRequest(c, limitsRequest);
      await administrator(c);
      const role = LIMITED_ROLES.find((one) => one === pathParameter(c, "role"));
      if (!role) throw new Failure("NOT_FOUND", "There is no such role. The roles are: guest, account.");
      aboutAct(c, { subject: { role, names: Object.keys(limits).join(",") } });
      return c.json({ role, limits: await administrationOf(c).changeRoleLimits(role, limits) });
    }),
    route("GET /admin/errors", async (c) => {
      await administrator(c);
      return c.json(await readErrors(c, administrationOf(c)));
    }),
    route("GET /admin/feedback", async (c) => {
      await administrator(c);
      return c.json(await readFeedback(c, administrationOf(c)));
    }),
    auditRoute(),
    ...modelOfferRoutes(),
    route("POST /admin/breakers/:name/close", async (c) => {
      await administrator(c);
      const administration = administrationOf(c);
      await administration.closeBreaker(pathParameter(c, "name"));
      return c.json({ breakers: (await administration.situation()).breakers });
    }),
    route("GET /admin/users/:id/usage", async (c) => {
      await administrator(c);
      return c.json(await readUsage(c, administrationOf(c), pathParameter(c, "id")));
    }),
    route("GET /admin/users/:id/keys", async (c) => {
      await administrator(c);
      return c.json({ keys: await accountsOf(c).listKeys(pathParameter(c, "id")) });
    }),
    route("PUT /admin/users/:id/limits", async (c) => {
      const { limits } = await readRequest(c, limitsRequest);
      await administrator(c);
      const id = pathParameter(c, "id");
      await checkPerson(c, id);
      aboutAct(c, { subject: { names: Object.keys(limits).join(",") } });
      return c.json({ id, limits: await administrationOf(c).changeLimits(id, limits) });
    }),
  ];
}
