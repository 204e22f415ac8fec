import { expect, test } from "vitest";
import { checkOrigin, corsHeaders } from "./address.ts";

const check = (host: string) => () =>
  checkOrigin(new Request("http://server/", { headers: { host } }), {
    boundHost: "0.0.0.0",
    corsOrigins: [],
  });

test.each([
  "tackle.default.svc.cluster.local:8787",
  "host.docker.internal",
  "nas.home.arpa",
  "tackle",
  "10.0.0.1",
])("beyond loopback, %s is a name that no foreign page can have", (host) => {
  expect(check(host)).not.toThrow();
});

test.each(["evil.example", "cluster.local.evil.example", "evillocal.com"])(
  "%s is one that it can",
  (host) => {
    expect(check(host)).toThrow("This server does not know this name.");
  },
);

test.each(["app://obsidian.md", "chrome-extension://abcdefgh", "file://"])(
  "%s is allowed if it is configured",
  (origin) => {
    const post = (corsOrigins: string[], headers = { host: "127.0.0.1:8787", origin }) =>
      checkOrigin(new Request("http://server/", { method: "POST", headers }), {
        boundHost: "127.0.0.1",
        corsOrigins,
      });
    expect(() => post([])).toThrow(
      `Pages of ${origin} may not change anything on this server. Its operator can`,
    );
    expect(() => post([origin])).not.toThrow();
    const { host } = new URL(origin);
    // The name in it can be a site’s, whose owner could lead it here.
    expect(() => post([origin], { host: host || "evil.example", origin })).toThrow(
      "This server answers only",
    );
  },
);

test("pages of configured origins can read how to authenticate, and whether to retry", () => {
  const origin = "https://app.example";
  const headers = corsHeaders(new Request("http://server/", { headers: { origin } }), [origin]);
  for (const name of ["WWW-Authenticate", "X-Should-Retry", "Request-Id"])
    expect(headers["access-control-expose-headers"]?.split(", ")).toContain(name);
});
