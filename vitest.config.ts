import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * A test file that imports one of these needs a server process, a browser, a database server or object storage.
 * `npm run test:fast` leaves such files out; every other file, and so a new one, is fast.
 */
const SLOW_PARTS =
  /"(?:playwright-core|[^"]*\/(?:faults\/[^"]*|support\/(?:accounts|anthropic|browser|hostile-world|openai|pages|server|web)\.ts|testing\/(?:browser|chromium|object-storage|postgres)\.ts))"/;
/** These are slow for another reason: many processes, passwords or inputs, or races of a second each. */
const SLOW_FILES = [
  "bench/hijack/hijack.test.ts",
  "src/accounts/accounts.test.ts",
  "src/app/rehearse.test.ts",
  "src/cli.test.ts",
  "src/contain/background.test.ts",
  "src/contain/command.test.ts",
  "src/contain/command-hosts.test.ts",
  "src/contain/command-services.test.ts",
  "src/contain/command/become-user.test.ts",
  "src/contain/command/lend.test.ts",
  "src/contain/command/probes.test.ts",
  "src/contain/paths.test.ts",
  "src/files/s3.test.ts",
  "src/guard/injection/scan-measure.test.ts",
  "src/guard/redact/measure.test.ts",
  "src/models/wire/awkward-tools.test.ts",
  "src/models/wire/conversations.test.ts",
  "src/models/wire/fuzz.test.ts",
  "src/runs/await-tools.test.ts",
  "src/terminal/print.test.ts",
  "src/terminal/prompt-keys.test.ts",
  "src/terminal/repl.test.ts",
  "src/tools/artifacts/pipeline.test.ts",
  "src/tools/builtin/execute_command/execute_command.test.ts",
  "src/tools/builtin/web_fetch/readable.test.ts",
  "src/tools/mcp/hostile.test.ts",
  "src/tools/mcp/remote.test.ts",
  "src/tools/mcp/servers.test.ts",
  "test/context.test.ts",
  "test/models-check.test.ts",
  "test/openai-clients.test.ts",
  "test/replay.test.ts",
  "test/vendors.test.ts",
];

/** These take long and seldom fail alone: `npm run test:long` runs them, before a release and after a change of what they test. */
const LONG_FILES = [
  "src/store/postgres-releases.test.ts",
  "src/tools/artifacts/browser.test.ts",
  "test/faults.test.ts",
  "test/package.test.ts",
  "test/soak.test.ts",
  "test/tool-faults.test.ts",
];

/** These try a part in `npm test`, and everything in `npm run test:long`. */
const PARTLY_LONG_FILES = [
  "src/contain/command/probes.test.ts",
  "src/store/nats.test.ts",
  "src/tools/artifacts/attacks.test.ts",
  "src/tools/artifacts/pipeline.test.ts",
  "test/audit.test.ts",
  "test/context.test.ts",
  "test/delegate-crash.test.ts",
  "test/erasure.test.ts",
  "test/notifications.test.ts",
  "test/ownership.test.ts",
  "test/processes.test.ts",
  "test/shown-approvals.test.ts",
  "test/vendors.test.ts",
  "test/web-access.test.ts",
  "test/web-approvals.test.ts",
  "test/web-apps.test.ts",
  "test/web-attacks.test.ts",
  "test/web-branches.test.ts",
  "test/web-look-small.test.ts",
  "test/web-states.test.ts",
];

/** Files that take long start first, so that at the end no worker waits for one of them. */
const LONGEST = [
  "src/store/postgres.test.ts",
  "src/store/nats.test.ts",
  "test/faults.test.ts",
  "test/tool-faults.test.ts",
  "test/docs.test.ts",
  "src/contain/command/probes.test.ts",
  "test/erasure.test.ts",
  "src/accounts/accounts.test.ts",
  "test/ownership.test.ts",
  "test/web-accounts.test.ts",
  "src/cli.test.ts",
  "test/web-approvals.test.ts",
  "test/web.test.ts",
  "test/web-choosing.test.ts",
  "test/web-branches.test.ts",
  "src/contain/command.test.ts",
  "test/replay.test.ts",
  "test/processes.test.ts",
  "test/shutdown.test.ts",
  "test/vulnerabilities-agent.test.ts",
  "test/backup.test.ts",
  "test/web-sharing.test.ts",
  "src/terminal/repl.test.ts",
  "test/web-apps.test.ts",
  "test/web-look.test.ts",
  "test/web-log.test.ts",
  "bench/hijack/hijack.test.ts",
  "test/web-artifacts.test.ts",
  "test/breakers.test.ts",
  "test/web-details.test.ts",
  "src/models/wire/fuzz.test.ts",
  "test/images.test.ts",
  "test/web-states.test.ts",
  "test/web-sessions.test.ts",
  "test/mcp-conformance-server.test.ts",
  "test/web-log-problems.test.ts",
  "test/vulnerabilities-people.test.ts",
  "test/files.test.ts",
  "test/mcp-host-conformance.test.ts",
  "test/web-people.test.ts",
  "test/hostile.test.ts",
  "test/journal-nats.test.ts",
  "test/vendors.test.ts",
  "src/store/sqlite.test.ts",
];

const PROJECTS = ["long", "slow", "mocked", "fast"];

/**
 * Slow files come first, so that the small ones fill the end, and each project in one piece, because a worker is of one project.
 */
class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const at = LONGEST.findIndex((path) => moduleId.endsWith(path));
      const place = PROJECTS.indexOf(project.name);
      return place * (LONGEST.length + 1) + (at < 0 ? LONGEST.length : at);
    };
    return (await super.sort(specifications)).sort((one, other) => rank(one) - rank(other));
  }
}

const root = import.meta.dirname;
// Workers and the programs that tests start load compiled modules, as `tackle` does.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules/.cache/tackle");
const files = globSync("{src,test,bench}/**/*.test.ts", { cwd: root }).map((path) =>
  path.replaceAll("\\", "/"),
);
const textOf = (path: string) => readFileSync(join(root, path), "utf8");
/** Files that replace modules for themselves. Only Vite can do that. */
const mocked = files.filter((path) => /\bvi\.mock\(/.test(textOf(path)));
const slow = files.filter(
  (path) =>
    !LONG_FILES.includes(path) &&
    !mocked.includes(path) &&
    (SLOW_FILES.includes(path) || SLOW_PARTS.test(textOf(path))),
);

export default defineConfig({
  test: {
    // Only what hangs takes this long: on a busy machine everything takes several times as long as alone.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // What a test waits for happens at once on an idle machine, and late on a busy one.
    expect: { poll: { timeout: 60_000 } },
    // One more try in CI, where a machine may be busy with other things. `scripts/test.mjs` names what needed it.
    retry: process.env.CI ? 1 : 0,
    // Most tests wait for a process, a browser or a deadline, so a core has time for three.
    maxWorkers: Number(process.env.TACKLE_TEST_WORKERS ?? Math.min(3 * availableParallelism(), 8)),
    setupFiles: ["test/support/compiled.ts"],
    // Files of one worker share their modules: fast ones take half the CPU time, and others a second less each.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Node loads the modules, as it does for the server: what one worker has compiled, others and later runs read.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: files.filter(
            (path) => !slow.includes(path) && !LONG_FILES.includes(path) && !mocked.includes(path),
          ),
        },
      },
      { extends: true, test: { name: "slow", include: slow } },
      {
        extends: true,
        test: { name: "mocked", isolate: true, include: mocked, experimental: { viteModuleRunner: true } },
      },
      {
        extends: true,
        test: {
          name: "long",
          isolate: true,
          include: [...LONG_FILES, ...PARTLY_LONG_FILES],
          env: { TACKLE_TEST_LONG: "1" },
        },
      },
    ],
  },
});
