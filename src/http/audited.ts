import { SESSION_COOKIE } from "../protocol/accounts.ts";
import type { AUDIT_WORDS, AuditAction, AuditFact, AuditSubject } from "../protocol/audit.ts";
import type { Failure } from "../protocol/failure.ts";
import { addressOf, credentialsOf, GUEST_COOKIE } from "./caller.ts";
import type { HttpContext, Route } from "./context.ts";

/** The routes of each word of the audit log. Routes of administrators that are not here are `admin.changed`. */
const ROUTES = {
  auth: {
    signed_up: ["POST /auth/sign-up"],
    signed_in: ["POST /auth/sign-in", "POST /auth/passkey", "GET /auth/provider/callback"],
    signed_out: ["POST /auth/sign-out", "DELETE /me/devices/:id"],
    password_changed: ["POST /me/password"],
    reset_asked: ["POST /auth/forgot-password"],
    password_reset: ["POST /auth/reset-password"],
    passkey_added: ["POST /me/passkeys"],
    passkey_removed: ["DELETE /me/passkeys/:id"],
  },
  settings: { changed: ["PUT /me/settings", "PATCH /me"] },
  key: { created: ["POST /me/keys"], changed: ["PATCH /me/keys/:id"], revoked: ["DELETE /me/keys/:id"] },
  credential: {
    stored: ["GET /mcp/oauth/callback"],
    removed: ["DELETE /mcp/servers/:name/authorization"],
  },
  account: {
    created: ["POST /admin/users"],
    suspended: ["POST /admin/users/:id/suspend"],
    role_changed: ["POST /admin/users/:id/role"],
    password_reset: ["POST /admin/users/:id/password"],
    signed_out: ["DELETE /admin/users/:id/devices/:device"],
    deleted: ["DELETE /me", "DELETE /admin/users/:id"],
  },
  session: {
    shared: ["POST /sessions/:id/share", "PATCH /shares/:id"],
    unshared: ["DELETE /shares/:id"],
  },
  limits: { changed: ["PUT /admin/users/:id/limits", "PUT /admin/limits/:role"] },
  models: {
    changed: [
      "PUT /admin/models/:role",
      "PUT /admin/users/:id/models",
      "POST /admin/model-servers",
      "DELETE /admin/model-servers/:name",
    ],
  },
  project: {
    shared: ["POST /projects/:id/members", "PATCH /projects/:id/members/:userId"],
    unshared: ["DELETE /projects/:id/members/:userId"],
    deleted: ["DELETE /projects/:id"],
  },
  breaker: { closed: ["POST /admin/breakers/:name/close"] },
  tools: {
    added: ["POST /admin/mcp", "POST /admin/openapi", "POST /admin/tools"],
    changed: ["PATCH /admin/mcp/:name", "PATCH /admin/openapi/:name", "PATCH /admin/tools/:name"],
    tried: ["POST /admin/mcp/:name/test", "POST /admin/openapi/:name/test", "POST /admin/tools/:name/test"],
    removed: ["DELETE /admin/mcp/:name", "DELETE /admin/openapi/:name", "DELETE /admin/tools/:name"],
  },
  approval: { withdrawn: ["DELETE /me/approvals/:id"] },
  policy: { changed: ["PUT /admin/policy"], tried: ["POST /admin/policy/test"] },
  run: { stopped: ["POST /admin/runs/:id/cancel"] },
} satisfies {
  [Kind in keyof typeof AUDIT_WORDS]?: Partial<Record<(typeof AUDIT_WORDS)[Kind][number], string[]>>;
};

const ACTIONS = new Map(
  Object.entries(ROUTES).flatMap(([kind, words]) =>
    Object.entries(words).flatMap(([word, routes]) =>
      routes.map((route) => [route, `${kind}.${word}` as AuditAction] as const),
    ),
  ),
);

/** The routes on which somebody proves who they are. */
const PASSWORDS = [
  "POST /auth/sign-up",
  "POST /auth/sign-in",
  "POST /auth/provider",
  "POST /auth/passkey",
  "POST /auth/forgot-password",
  "POST /auth/reset-password",
  "POST /me/password",
  "DELETE /me",
];

/** What only the handler of a route knows about the entry. */
export type AuditHint = Partial<Pick<AuditFact, "actor" | "action" | "subject">>;

/** Adds to what the audit log says about this request. */
export function aboutAct(c: HttpContext, hint: AuditHint): void {
  const known = c.get("audited");
  c.set("audited", { ...known, ...hint, subject: { ...known?.subject, ...hint.subject } });
}

/** Returns the handler of a route; what it changes is in the audit log before the answer is sent. */
export function audited({ method, path, handle }: Route): Route["handle"] {
  const action = actionOf(method, path);
  if (!action) return handle;
  return async (c) => {
    const response = await handle(c);
    const { deps, refusals } = c.get("server");
    const { fact, isStranger } = actIn(c, action);
    if (!isStranger || refusals.take(`${action} ${addressOf(c)}`) !== undefined)
      await deps.audit?.record(fact);
    return response;
  };
}

/** Returns what a route is in the audit log. Undefined if it changes nothing that belongs there. */
export function actionOf(method: string, path: string): AuditAction | undefined {
  const isAct = method !== "GET" && path.startsWith("/admin/");
  return ACTIONS.get(`${method} ${path}`) ?? (isAct ? "admin.changed" : undefined);
}

function actIn(c: HttpContext, action: AuditAction): { fact: AuditFact; isStranger: boolean } {
  const { audited: hint, requestId } = c.var;
  const principal = c.get("caller");
  const { id: target, name } = c.req.param() as { id?: string; name?: string };
  const subject: AuditSubject = {
    target,
    name,
    ...(action.startsWith("auth.") ? { address: addressOf(c) } : {}),
    ...hint?.subject,
    key: principal?.key?.id,
    requestId,
  };
  const actor = hint?.actor ?? principal?.id ?? VISITOR;
  const isStranger = actor === VISITOR || principal?.kind === "guest";
  return { fact: { actor, action: hint?.action ?? action, subject }, isStranger };
}

const VISITOR = "visitor";

/** Notes a request that was refused because of who sent it, and a failed attempt to sign in. */
export function noteRefusal(c: HttpContext, { code }: Failure): void {
  const { deps, refusals } = c.get("server");
  const { audit } = deps;
  const { route, requestId } = c.var;
  const isAttempt = PASSWORDS.includes(`${c.req.method} ${route}`);
  const action = isAttempt ? ATTEMPTS[code] : REFUSALS[code];
  if (!audit || !action) return;
  const { bearer, cookie } = credentialsOf(c);
  // A request without credentials is only told to sign in.
  if (!isAttempt && code === "UNAUTHORIZED" && bearer === undefined && !hasCookie(cookie)) return;
  const address = addressOf(c);
  const unlogged = refusals.take(`${action} ${address}`);
  if (unlogged === undefined) return;
  const principal = c.get("caller");
  audit.note({
    actor: principal?.id ?? VISITOR,
    action,
    subject: {
      route: `${c.req.method} ${route}`,
      code,
      address,
      key: principal?.key?.id,
      requestId,
      ...(unlogged > 0 ? { unlogged } : {}),
    },
  });
}

const ATTEMPTS: Partial<Record<Failure["code"], AuditAction>> = {
  UNAUTHORIZED: "auth.failed",
  FORBIDDEN: "auth.failed",
  RATE_LIMITED: "auth.throttled",
};
const REFUSALS: Partial<Record<Failure["code"], AuditAction>> = {
  UNAUTHORIZED: "request.refused",
  FORBIDDEN: "request.refused",
};

function hasCookie(cookie: (name: string) => string | undefined): boolean {
  return [SESSION_COOKIE, GUEST_COOKIE].some((name) => cookie(name) !== undefined);
}
