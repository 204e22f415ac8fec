// The programs that tests need besides Node. Installs them if possible without asking, and otherwise names them.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { say } from "./setup.mjs";

const PARTS = [
  { package: "bubblewrap", finds: ["/usr/bin/bwrap"], for: "the command sandbox" },
  { package: "openssl", finds: ["/usr/bin/openssl"], for: "certificates of mail servers" },
  {
    package: "chromium-headless-shell",
    finds: ["/usr/bin/chromium-headless-shell"],
    // Older releases of Debian have only the browser with a window, which is slower.
    instead: { package: "chromium", finds: ["/usr/bin/chromium"] },
    for: "pages and artifacts in a real browser",
  },
  { package: "radosgw", finds: ["/usr/bin/radosgw"], for: "files in object storage" },
  { package: "ceph-mon", finds: ["/usr/bin/ceph-mon"], for: "files in object storage" },
  { package: "ceph-osd", finds: ["/usr/bin/ceph-osd"], for: "files in object storage" },
  { package: "postgresql", finds: ["/usr/lib/postgresql"], for: "the PostgreSQL store" },
  { package: "nats-server", finds: ["/usr/sbin/nats-server"], for: "the journal on NATS" },
  { package: "prometheus", finds: ["/usr/bin/promtool"], for: "alert rules" },
];

/**
 * Installs missing programs as root on Debian and its derivatives: all of them, or those of these packages. Elsewhere prints
 * which tests are skipped. Returns the packages that are still missing.
 */
export function installParts(names) {
  const wanted = PARTS.filter((part) => !names || names.includes(part.package));
  installMissing(
    wanted.filter((part) => !isThere(part)),
    names === undefined,
  );
  return wanted.filter((part) => !isThere(part) && !isThere(part.instead)).map((part) => part.package);
}

function installMissing(missing, forTests) {
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    for (const part of missing.filter(({ instead }) => forTests && !isThere(instead)))
      say(`test: ${part.package} is not installed, so the tests of ${part.for} are skipped`);
    return;
  }
  const apt = (...args) =>
    spawnSync("apt-get", ["-qq", "-y", ...args], { stdio: ["ignore", "ignore", "inherit"], env: aptEnv() });
  say(
    `test: installing ${missing.map((part) => part.package).join(", ")} (a minute or two, only the first time) …`,
  );
  apt("update");
  const names = missing.map(
    (part) => (part.instead && !isOffered(part.package) ? part.instead : part).package,
  );
  const done = apt("install", "--no-install-recommends", ...names);
  if (done.status !== 0)
    say(`test: ${names.join(", ")} could not be installed; the tests that need them will say so`);
}

function isThere(part) {
  return part?.finds.some((path) => existsSync(path)) ?? false;
}

function isOffered(name) {
  return spawnSync("apt-cache", ["show", "--no-all-versions", name], { stdio: "ignore" }).status === 0;
}

function aptEnv() {
  return { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) installParts();
