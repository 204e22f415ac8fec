import cluster from "node:cluster";
import { Failure } from "../../protocol/failure.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { serveLines } from "../../terminal/listings.ts";
import { say } from "../../terminal/output.ts";
import type { Config } from "../config.ts";
import { doubtfulSettings } from "../doubtful-settings.ts";
import { countProcesses } from "../processes/count.ts";
import { logUncaught, toldToStop } from "../processes/signals.ts";
import { productVersion } from "../product-version.ts";
import { configOf } from "./open-tackle.ts";

/** Serves until the process is told to stop, then hands over what is running. */
export async function run(line: CommandLine): Promise<number> {
  const config = await configOf(line, false);
  if (cluster.isWorker) {
    const { serveAsWorker } = await import("../processes/worker.ts");
    return serveAsWorker(config).catch((thrown: unknown) => {
      throw startFailure(thrown, config);
    });
  }
  for (const sentence of doubtfulSettings(config)) process.stderr.write(`tackle: ${sentence}\n`);
  if (countProcesses(config) > 1) {
    const { serveWithWorkers } = await import("../processes/supervise.ts");
    return serveWithWorkers(config, countProcesses(config));
  }
  const { serve } = await import("../serve.ts");
  const serving = await serve(config).catch((thrown: unknown) => {
    throw startFailure(thrown, config);
  });
  logUncaught(serving.tackle.log, config);
  const model = serving.tackle.models.defaultId();
  const setUp = serving.setUpToken && `${config.publicUrl ?? serving.url}/?setup=${serving.setUpToken}`;
  say(serveLines({ url: serving.url, model, version: productVersion(), setUp }));
  await toldToStop();
  // If a database or a child process hangs, exit anyway: other instances take over when the leases expire.
  setTimeout(() => process.exit(0), config.graceMs).unref();
  await serving.close();
  return 0;
}

/** Says what to do about a failure to start. */
function startFailure(thrown: unknown, { host, port }: Config): unknown {
  // Nothing else that a start needs is away for a while only.
  if (thrown instanceof Failure && thrown.code === "RESOURCE_EXHAUSTED") {
    const advice = "Check its address (DATABASE_URL, TACKLE_JOURNAL_URL), and that it is running.";
    return new Failure(thrown.code, `${thrown.publicMessage} ${advice}`, { cause: thrown });
  }
  const isListening =
    thrown instanceof Error &&
    "syscall" in thrown &&
    /^(?:listen|bind|getaddrinfo)$/.test(String(thrown.syscall));
  const code = isListening && "code" in thrown ? thrown.code : undefined;
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is already in use. Stop the program that uses it, or choose another port with PORT or --port.`,
    EACCES: `Port ${port} needs more rights than this user has. Choose a port above 1023 with PORT or --port.`,
    ENOTFOUND: `The host ${host} cannot be found. Choose an address of this machine with HOST or --host.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Choose another with HOST or --host.`,
  };
  const sentence = sentences[String(code)];
  return sentence === undefined ? thrown : new Failure("INVALID_INPUT", sentence, { cause: thrown });
}
