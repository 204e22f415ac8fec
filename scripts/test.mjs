// `npm test`: installs what is missing, checks, and meanwhile runs the tests that every change must pass. `--fast` runs those that need no server
// or browser, `--long` those that take minutes each, both without the checks. Other arguments go to the test runner.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { availableParallelism, constants, setPriority, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { buildServer, buildVendor, buildWeb, install, nodePath, root, say } from "./setup.mjs";

const fast = process.argv.includes("--fast");
const long = process.argv.includes("--long");
const only = process.argv.slice(2).filter((argument) => argument !== "--fast" && argument !== "--long");
const projects = fast ? ["fast"] : long ? ["long"] : ["fast", "slow", "mocked"];
const bin = (...path) => join(root, "node_modules", ...path);

// Packages and builds take longer than these programs, which only the tests need.
const parts = fast ? 0 : begin(process.execPath, [join(root, "scripts", "parts.mjs")]);
install("test");
// Tests often wait, and so do the steps before them. The checks use that time.
const checking =
  fast || long || only.length > 0
    ? 0
    : begin(nodePath(), [join(root, "scripts", "check.mjs")], constants.priority.PRIORITY_LOW);
buildVendor();
buildWeb();
// Otherwise every file with a browser would look whether the web app is up to date.
process.env.TACKLE_TEST_WEB = "built";
if (!fast) process.env.TACKLE_BUNDLE = buildServer();
// The fast ones seldom wait for anything, and the long ones load the machine by themselves.
if (fast || long) process.env.TACKLE_TEST_WORKERS ??= String(Math.min(2 * availableParallelism(), 8));
const report = join(tmpdir(), `tackle-tests-${process.pid}.json`);
await parts;
say(
  `test: running ${only.length > 0 ? "some" : fast ? "the fast" : long ? "the long" : "all but the long"} tests`,
);
const testing = begin(nodePath(), [
  bin("vitest", "vitest.mjs"),
  "run",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${report}`,
  ...projects.map((project) => `--project=${project}`),
  ...only,
]);
const [tested, checked] = await Promise.all([testing, checking]);
const { passed, failed, skipped } = counts(report);
process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exit(checked === 0 && tested === 0 && failed === 0 && passed > 0 ? 0 : 1);

/** Starts a step on this Node. Returns its exit code. */
async function begin(node, args, priority = constants.priority.PRIORITY_NORMAL) {
  const child = spawn(node, args, { cwd: root, stdio: "inherit" });
  if (priority !== constants.priority.PRIORITY_NORMAL) setPriority(child.pid, priority);
  const [code] = await once(child, "close");
  return code ?? 1;
}

function counts(path) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
      readFileSync(path, "utf8"),
    );
    rmSync(path);
    if (only.length === 0) saySlowest(testResults);
    for (const { assertionResults } of testResults) {
      for (const { status, fullName, failureMessages } of assertionResults)
        if (status === "passed" && failureMessages.length > 0)
          say(`test: needed a second try: ${fullName} (${failureMessages[0].split("\n")[0]})`);
    }
    return {
      passed: numPassedTests,
      failed: numFailedTests + (checked === 0 ? 0 : 1),
      skipped: numPendingTests,
    };
  } catch (error) {
    say(`test: the test runner wrote no report (${error.message})`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/** Names the files that took longest, so that the whole stays short. */
function saySlowest(testResults) {
  const files = testResults
    .map(({ name, startTime, endTime }) => ({
      file: relative(root, name),
      seconds: (endTime - startTime) / 1000,
    }))
    .sort((one, other) => other.seconds - one.seconds);
  say(`test: the slowest of ${files.length} files:`);
  for (const { file, seconds } of files.slice(0, 12))
    say(`test: ${seconds.toFixed(1).padStart(7)} s  ${file}`);
}
