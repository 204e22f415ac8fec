import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actionOf } from "../src/http/audited.ts";
import { OPERATIONS } from "../src/http/description/operations.ts";
import { AUDIT_WORDS, type AuditEntry } from "../src/protocol/audit.ts";
import { startUpstream } from "../src/sim/testing/upstream.ts";
import type { Upstream } from "../src/sim/upstream.ts";
import { type Cluster, findRelease, startCluster } from "../src/store/testing/postgres.ts";
import { ask, bearer, call, PASSWORD, signUp, type TestAccount } from "./support/accounts.ts";
import { isLong } from "./support/long.ts";
import { plantEverywhere, startObedientModel, Words, writeOwnTools } from "./support/planted.ts";
import { modelAt, runTackle, type ServerProcess, startServer, temporaryFolder } from "./support/server.ts";

/** Nobody listens here. */
const NOWHERE = "http://127.0.0.1:9/";
const DICE = 'export default { name: "dice", description: "Rolls.", effect: "none", run: () => 4 };';
/** The revision of a policy without a file. */
const NO_POLICY = createHash("sha256").digest("hex");
const release = findRelease();
if (!release && !process.env.CI)
  console.log("The audit log is tested on SQLite only: there is no PostgreSQL.");

interface Page {
  entries: AuditEntry[];
  head: { seq: number; hash: string } | null;
  next?: number;
}

// What PostgreSQL stores of the log is tested with the store, in `npm test` too.
for (const engine of isLong ? (["SQLite", "PostgreSQL"] as const) : (["SQLite"] as const)) {
  describe.skipIf(engine === "PostgreSQL" && !release && !process.env.CI)(
    `the audit log on ${engine}`,
    { timeout: 120_000 },
    () => {
      const folder = temporaryFolder();
      const [data, workspace] = [join(folder.path, "data"), join(folder.path, "work")];
      const words = new Words();
      let upstream: Upstream;
      let cluster: Cluster | undefined;
      let server: ServerProcess;
      let env: Record<string, string>;
      let admin: TestAccount;

      beforeAll(async () => {
        upstream = await startObedientModel(words);
        if (engine === "PostgreSQL" && release) cluster = await startCluster(release);
        writeOwnTools(join(folder.path, "tools"), words);
        env = {
          ...modelAt(upstream.url),
          ...(cluster ? { DATABASE_URL: cluster.url } : {}),
          TACKLE_TOOLS_DIR: join(folder.path, "tools"),
          TACKLE_AUTH: "guest",
          TACKLE_ROOTS: workspace,
        };
        server = await startServer(data, env);
        admin = await signUp(server, "admin");
      });
      afterAll(async () => {
        await server?.stop();
        await upstream?.close();
        await cluster?.dispose();
        folder.remove();
      });

      const page = (query = "") => ask<Page>(server, "GET", `/admin/audit${query}`, bearer(admin.token));
      const newest = async (query = "") => (await page(query)).entries[0];

      const tackle = (...args: string[]) =>
        runTackle([...args, "--data", data], { ...env, HOME: folder.path });

      /** Runs statements as somebody with all rights on the database. */
      async function runSql(...statements: string[]): Promise<void> {
        if (cluster)
          for (const sql of statements)
            await cluster.run(`SET search_path TO tackle; ${sql}; RESET search_path`);
        else {
          const database = new DatabaseSync(join(data, "tackle.db"));
          for (const sql of statements) database.exec(sql);
          database.close();
        }
      }

      it("holds no word that anybody said, wrote, typed or stored, and says what was decided and done", async () => {
        const headers = bearer(admin.token);
        await plantEverywhere(server, headers, words, join(workspace, admin.id));
        const body = { email: admin.email, password: words.of("password") };
        await call(server, "POST", "/auth/sign-in", {}, body);
        await call(
          server,
          "POST",
          "/auth/sign-in",
          {},
          { ...body, email: `${words.of("email")}@example.com` },
        );
        await ask(server, "PUT", "/me/settings", headers, {
          settings: { theme: words.of("setting") },
          keys: { openai: `sk-${words.of("vendorkey")}` },
        });
        await call(server, "POST", "/tools/filesystem", headers, {
          operation: words.of("argument"),
          path: "x",
        });
        await call(server, "POST", `/tools/${words.of("unknowntool")}`, headers, {});
        const { said } = await tackle("audit", "--json", "--limit", "100000");
        expect(words.foundIn(said)).toEqual([]);
        const entries = JSON.parse(said) as AuditEntry[];
        const known = Object.entries(AUDIT_WORDS).flatMap(([kind, all]) =>
          all.map((word) => `${kind}.${word}`),
        );
        expect(entries.filter(({ action }) => !known.includes(action))).toEqual([]);
        const of = (action: string) => entries.filter((entry) => entry.action === action);
        const decisions = of("approval.decided").map(({ actor, sessionId, subject }) => [
          actor,
          sessionId?.startsWith("ses_"),
          subject.tool,
          subject.decision,
          subject.via,
        ]);
        expect(decisions).toEqual([
          [admin.id, true, "filesystem", "once", "http"],
          [admin.id, true, "filesystem", "deny", "http"],
          [admin.id, true, "execute_command", "once", "http"],
        ]);
        expect(of("approval.asked")).toHaveLength(3);
        expect(of("file.changed").map(({ subject }) => subject)).toMatchObject([
          {
            kind: "write",
            path: expect.stringMatching(/old\.txt$/),
            hash: expect.stringMatching(/^[0-9a-f]{64}$/),
            bytes: expect.any(Number),
            runId: expect.stringMatching(/^run_/),
            toolCallId: expect.any(String),
          },
        ]);
        expect(of("command.run").map(({ subject }) => subject)).toMatchObject([
          { program: "echo", hash: expect.stringMatching(/^[0-9a-f]{64}$/), background: true },
        ]);
        expect(of("call.refused").map(({ subject }) => [subject.tool, subject.code])).toEqual([
          ["filesystem", "TOOL_DENIED"],
          ["filesystem", "TOOL_INVALID_ARGUMENTS"],
          ["unknown", "TOOL_UNKNOWN"],
        ]);
        expect(of("auth.failed").map(({ actor }) => actor)).toEqual(["visitor", "visitor"]);
        expect(of("credential.stored")[0]?.subject).toMatchObject({ names: "theme", vendors: "openai" });
      });

      it("has an entry for every act of an administrator, and of people on their own accounts", async () => {
        const headers = bearer(admin.token);
        const { id } = await ask<{ id: string }>(server, "POST", "/admin/users", headers, {
          email: "grace@example.com",
          password: PASSWORD,
        });
        const { runId } = await ask<{ runId: string }>(server, "POST", "/chat", headers, {
          message: "hello",
          stream: false,
        });
        const upstream = await startUpstream({ models: () => ({ data: [{ id: "small" }] }) });
        await ask(server, "POST", "/auth/sign-in", {}, { email: "grace@example.com", password: PASSWORD });
        const { devices } = await ask<{ devices: { id: string }[] }>(
          server,
          "GET",
          `/admin/users/${id}/devices`,
          headers,
        );
        const device = devices[0]?.id;
        const acts: Record<string, [path: string, action: string, body?: object]> = {
          "POST /admin/users": [
            "/admin/users",
            "account.created",
            { email: "b@example.com", password: PASSWORD },
          ],
          "DELETE /admin/users/:id/devices/:device": [
            `/admin/users/${id}/devices/${device}`,
            "account.signed_out",
          ],
          "POST /admin/users/:id/suspend": [
            `/admin/users/${id}/suspend`,
            "account.suspended",
            { suspended: true },
          ],
          "POST /admin/users/:id/role": [
            `/admin/users/${id}/role`,
            "account.role_changed",
            { role: "admin" },
          ],
          "POST /admin/users/:id/password": [
            `/admin/users/${id}/password`,
            "account.password_reset",
            { password: "another password" },
          ],
          "PUT /admin/users/:id/limits": [
            `/admin/users/${id}/limits`,
            "limits.changed",
            { limits: { chat: 5 } },
          ],
          "PUT /admin/users/:id/models": [
            `/admin/users/${id}/models`,
            "models.changed",
            { models: ["demo/*"] },
          ],
          "PUT /admin/limits/:role": ["/admin/limits/guest", "limits.changed", { limits: { search: 3 } }],
          "PUT /admin/models/:role": ["/admin/models/guest", "models.changed", { default: "demo/demo" }],
          "POST /admin/breakers/:name/close": ["/admin/breakers/tool%3Aweb_fetch/close", "breaker.closed"],
          "POST /admin/mcp": ["/admin/mcp", "tools.added", { name: "notes", url: NOWHERE, paused: true }],
          "PATCH /admin/mcp/:name": ["/admin/mcp/notes", "tools.changed", { timeoutMs: 100 }],
          "POST /admin/mcp/:name/test": ["/admin/mcp/notes/test", "tools.tried"],
          "DELETE /admin/mcp/:name": ["/admin/mcp/notes", "tools.removed"],
          "POST /admin/openapi": [
            "/admin/openapi",
            "tools.added",
            { name: "weather", url: NOWHERE, paused: true },
          ],
          "PATCH /admin/openapi/:name": ["/admin/openapi/weather", "tools.changed", { paused: true }],
          "POST /admin/openapi/:name/test": ["/admin/openapi/weather/test", "tools.tried"],
          "DELETE /admin/openapi/:name": ["/admin/openapi/weather", "tools.removed"],
          "POST /admin/model-servers": [
            "/admin/model-servers",
            "models.changed",
            { name: "lab", url: upstream.url },
          ],
          "DELETE /admin/model-servers/:name": ["/admin/model-servers/lab", "models.changed"],
          "POST /admin/tools": ["/admin/tools", "tools.added", { name: "dice", code: DICE }],
          "PATCH /admin/tools/:name": ["/admin/tools/dice", "tools.changed", { paused: true }],
          "POST /admin/tools/:name/test": ["/admin/tools/dice/test", "tools.tried"],
          "DELETE /admin/tools/:name": ["/admin/tools/dice", "tools.removed"],
          "PUT /admin/policy": ["/admin/policy", "policy.changed", { revision: NO_POLICY, rules: [] }],
          "POST /admin/policy/test": ["/admin/policy/test", "policy.tried", { tool: "get_time" }],
          "POST /admin/runs/:id/cancel": [`/admin/runs/${runId}/cancel`, "run.stopped"],
          "DELETE /admin/users/:id": [`/admin/users/${id}`, "account.deleted"],
        };
        const changing = Object.keys(OPERATIONS).filter((name) => /^(?!GET)\w+ \/admin\//.test(name));
        expect(Object.keys(acts).sort()).toEqual(changing.sort());
        for (const [name, [path, action, body]] of Object.entries(acts)) {
          const [method = "", route = ""] = name.split(" ");
          expect(actionOf(method, route)).toBe(action);
          await ask(server, method, path, headers, body);
          const entry = await newest("?limit=1");
          expect(entry, name).toMatchObject({ actor: admin.id, action });
          if (route.includes("/runs/:id")) expect(entry?.subject.target).toBe(runId);
          else if (route.includes(":id")) expect(entry?.subject.target).toBe(id);
          if (action.startsWith("tools."))
            expect(entry?.subject.target).toMatch(/^(mcp:notes|openapi:weather|tools:dice)$/);
        }
        expect(actionOf("POST", "/admin/new-thing")).toBe("admin.changed");
        await upstream.close();

        const ada = await signUp(server, "ada");
        const own = bearer(ada.token);
        const key = await ask<{ id: string; key: string }>(server, "POST", "/me/keys", own, { name: "mine" });
        await ask(server, "PATCH", `/me/keys/${key.id}`, own, { name: "yours" });
        await call(server, "GET", "/admin/users", bearer(key.key));
        await ask(server, "DELETE", `/me/keys/${key.id}`, own);
        const changed = { password: PASSWORD, newPassword: "a newer password" };
        await call(server, "POST", "/me/password", own, { ...changed, password: "wrong" });
        const { token } = await ask<{ token: string }>(server, "POST", "/me/password", own, changed);
        await ask(server, "POST", "/auth/sign-out", bearer(token));
        const { entries } = await page(`?actor=${ada.id}&limit=100`);
        expect(entries.reverse().map(({ action }) => action)).toEqual([
          "auth.signed_up",
          "key.created",
          "key.changed",
          "request.refused",
          "key.revoked",
          "auth.failed",
          "auth.password_changed",
          "auth.signed_out",
        ]);
      });

      it("is read by administrators alone, page by page, filtered, and as lines", async () => {
        const bob = await signUp(server, "bob");
        const key = (who: TestAccount, scopes: string[]) =>
          ask<{ key: string }>(server, "POST", "/me/keys", bearer(who.token), { scopes });
        const statusFor = async (credentials: Record<string, string>) =>
          (await call(server, "GET", "/admin/audit", credentials)).status;
        expect(await statusFor({})).toBe(403);
        expect(await statusFor(bearer("tk_wrong"))).toBe(401);
        expect(await statusFor(bearer(bob.token))).toBe(403);
        expect(await statusFor(bearer((await key(bob, ["admin"])).key))).toBe(403);
        expect(await statusFor(bearer((await key(admin, ["chat", "tools", "files"])).key))).toBe(403);
        expect(await statusFor(bearer((await key(admin, ["admin"])).key))).toBe(200);

        const first = await page("?limit=2");
        const second = await page(`?limit=2&before=${first.next}`);
        expect([...first.entries, ...second.entries].map(({ seq }) => seq)).toEqual(
          [0, 1, 2, 3].map((at) => (first.head?.seq ?? 0) - at),
        );
        expect((await page("?after=0&limit=1")).entries[0]?.seq).toBe(1);
        expect(
          (await page("?action=key&limit=1000")).entries.every(({ action }) => /^key\./.test(action)),
        ).toBe(true);
        const { sessionId } = (await newest("?action=approval.decided")) ?? {};
        const inSession = (await page(`?sessionId=${sessionId}`)).entries;
        expect(inSession.length).toBeGreaterThan(2);
        expect(new Set(inSession.map((entry) => entry.sessionId))).toEqual(new Set([sessionId]));
        expect((await page("?since=2100-01-01")).entries).toEqual([]);
        expect((await call(server, "GET", "/admin/audit?since=soon", bearer(admin.token))).status).toBe(400);
        const lines = await call(
          server,
          "GET",
          "/admin/audit?format=ndjson&after=0&limit=3",
          bearer(admin.token),
        );
        expect(lines.headers.get("content-type")).toContain("application/x-ndjson");
        const parsed = (await lines.text()).trimEnd().split("\n");
        expect(parsed.map((line) => JSON.parse(line).seq)).toEqual([1, 2, 3]);
      });

      it("says at a start that the policy or settings have changed, by their names", async () => {
        await server.stop();
        writeFileSync(join(data, "policy.json"), '{"rules":[]}');
        env = { ...env, TACKLE_MAX_TOOL_CALLS: "7", OPENAI_API_KEY: words.of("newkey") };
        server = await startServer(data, env);
        const before = (await page("?limit=3")).entries;
        expect(before.map(({ actor, action, subject }) => [actor, action, subject.names])).toEqual([
          ["operator", "settings.changed", "OPENAI_API_KEY,TACKLE_MAX_TOOL_CALLS"],
          ["operator", "policy.changed", undefined],
          expect.anything(),
        ]);
        await server.stop();
        server = await startServer(data, env);
        expect((await newest("?limit=1"))?.seq).toBe(before[0]?.seq);
      });

      it("is verified beside the server, and one changed line is found", async () => {
        const { head } = await page("?limit=1");
        const whole = await tackle("audit", "verify");
        expect(whole).toEqual({ code: 0, said: expect.stringContaining(`${head?.seq} entries`) });
        expect(whole.said).toContain(head?.hash);
        expect(whole.said.trimEnd().split("\n")).toHaveLength(1);
        expect((await tackle("audit", "verify", "--from", head?.hash ?? "")).code).toBe(0);
        expect(await tackle("audit", "verify", "--from", "a".repeat(64))).toMatchObject({ code: 1 });
        const shown = await tackle("audit", "--limit", "3", "--action", "auth");
        expect(shown.said).toMatch(/^TIME +NO\. +WHO +WHAT +ABOUT\n(20\d\d-.*auth\..*\n){3}$/);

        const change = "UPDATE audit_log SET actor = 'eve' WHERE seq = 5";
        await expect(runSql(change)).rejects.toThrow(/append-only/);
        await runSql(
          cluster ? "DROP TRIGGER audit_log_stays ON audit_log" : "DROP TRIGGER audit_log_stays",
          change,
        );
        const found = await tackle("audit", "verify");
        expect(found).toEqual({ code: 1, said: expect.stringContaining("Entry 5 was changed") });
      });
    },
  );
}

describe("backups", () => {
  it("carry the log with them, and say that they were made and loaded", async () => {
    const folder = temporaryFolder();
    const server = await startServer(join(folder.path, "one"), { TACKLE_AUTH: "guest" });
    await signUp(server, "ann");
    await server.stop();
    const tackle = async (...args: string[]) => {
      const { code, said } = await runTackle(args, { HOME: folder.path });
      expect(code, said).toBe(0);
      return said;
    };
    const archive = join(folder.path, "all.tackle");
    const second = join(folder.path, "two");
    await tackle("backup", archive, "--data", join(folder.path, "one"));
    await tackle("restore", archive, "--data", second);
    await tackle("restore", archive, "--force", "--data", second);
    expect(await tackle("audit", "verify", "--data", second)).toContain("is whole");
    const actions = async (data: string) =>
      (JSON.parse(await tackle("audit", "--json", "--data", data)) as AuditEntry[]).map(
        ({ action }) => action,
      );
    expect(await actions(join(folder.path, "one"))).toEqual([
      "settings.changed",
      "auth.signed_up",
      "data.backed_up",
    ]);
    expect(await actions(second)).toEqual(["settings.changed", "auth.signed_up", "data.restored"]);
    folder.remove();
  });
});
