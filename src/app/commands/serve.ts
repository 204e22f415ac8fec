import { Failure } from "../../protocol/failure.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { say } from "../../terminal/output.ts";
import type { Config } from "../config.ts";
import { productVersion } from "../product-version.ts";
import { configOf } from "./open-tackle.ts";

/** Serves until the process is told to stop, and hands over what is under way. */
export async function serveUntilStopped(line: CommandLine): Promise<number> {
  const config = await configOf(line, false);
  const { serve } = await import("../serve.ts");
  const serving = await serve(config).catch((thrown: unknown) => {
    throw listenFailure(thrown, config);
  });
  const { log } = serving.tackle;
  // Without these the runtime would print what was thrown as it is: stack, paths, keys and all.
  process.on("unhandledRejection", (thrown) =>
    log.error({ err: thrown }, "something failed and nobody waited for it"),
  );
  process.on("uncaughtException", (thrown) => {
    log.fatal({ err: thrown }, "something broke where nothing could catch it: the server ends");
    process.exit(1);
  });
  const model = serving.tackle.models.defaultId();
  const { serveLines } = await import("../../terminal/listings.ts");
  say(serveLines(serving.url, model, productVersion()));

  await new Promise<void>((resolve) => {
    let asked = false;
    const stop = (signal: NodeJS.Signals) => {
      if (asked && signal === "SIGINT") process.exit(130);
      if (asked) return;
      asked = true;
      process.stderr.write("tackle: stopping … Ctrl-C again ends it at once.\n");
      resolve();
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
  });
  // Whatever still hangs then, a database that is gone or a stubborn child process: leases run out by themselves.
  setTimeout(() => process.exit(0), config.graceMs).unref();
  await serving.close();
  return 0;
}

function listenFailure(thrown: unknown, { host, port }: Config): unknown {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is in use already. Stop what listens there, or choose another with --port.`,
    EACCES: `Port ${port} needs more rights than this user has. Choose one above 1023 with --port.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Choose another with --host.`,
  };
  const sentence = sentences[String(code)];
  return sentence === undefined ? thrown : new Failure("INVALID_INPUT", sentence, { cause: thrown });
}
