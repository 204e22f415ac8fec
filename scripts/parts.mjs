// The programs that tests need besides Node. Installs them if possible without asking, and otherwise names them.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { say } from "./setup.mjs";

const PARTS = [
  { package: "bubblewrap", finds: ["/usr/bin/bwrap"], for: "the command sandbox" },
  { package: "chromium", finds: ["/usr/bin/chromium"], for: "pages and artifacts in a real browser" },
  { package: "radosgw", finds: ["/usr/bin/radosgw"], for: "files in object storage" },
  { package: "ceph-mon", finds: ["/usr/bin/ceph-mon"], for: "files in object storage" },
  { package: "ceph-osd", finds: ["/usr/bin/ceph-osd"], for: "files in object storage" },
  { package: "postgresql", finds: ["/usr/lib/postgresql"], for: "the PostgreSQL store" },
];

/** Installs missing programs as root on Debian and its derivatives. Elsewhere prints which tests are skipped. */
export function installParts() {
  const missing = PARTS.filter(({ finds }) => !finds.some((path) => existsSync(path)));
  if (missing.length === 0) return;
  const names = missing.map((part) => part.package);
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    for (const part of missing)
      say(`test: ${part.package} is not installed, so the tests of ${part.for} are skipped`);
    return;
  }
  say(`test: installing ${names.join(", ")} (a minute or two, only the first time) …`);
  const apt = (...args) =>
    spawnSync("apt-get", ["-qq", "-y", ...args], { stdio: ["ignore", "ignore", "inherit"], env: aptEnv() });
  apt("update");
  const done = apt("install", "--no-install-recommends", ...names);
  if (done.status !== 0)
    say(`test: ${names.join(", ")} could not be installed; the tests that need them will say so`);
}

function aptEnv() {
  return { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
}
