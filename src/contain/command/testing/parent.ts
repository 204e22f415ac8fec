import { runContained } from "../../command.ts";
import { detectSandbox } from "../detect.ts";

/** A separate process that runs a command, for tests that kill it. */
const [, , command = "", folder = "", tier = ""] = process.argv;
await runContained(command, {
  cwd: folder,
  roots: [folder],
  timeoutMs: 60_000,
  signal: new AbortController().signal,
  sandbox: await detectSandbox({ without: tier === "landlock" ? ["bubblewrap"] : [] }),
  onOutput: (_, text) => process.stdout.write(text),
});
