import { Failure } from "../../protocol/failure.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { serveLines } from "../../terminal/listings.ts";
import { say } from "../../terminal/output.ts";
import type { Config } from "../config.ts";
import { productVersion } from "../product-version.ts";
import { configOf } from "./open-tackle.ts";

/** Serves until the process is told to stop, then hands over what is running. */
export async function run(line: CommandLine): Promise<number> {
  const config = await configOf(line, false);
  const { serve } = await import("../serve.ts");
  const serving = await serve(config).catch((thrown: unknown) => {
    throw listenFailure(thrown, config);
  });
  const { log } = serving.tackle;
  // Without these handlers Node would print the error as it is, with paths and keys.
  process.on("unhandledRejection", (thrown) => log.error({ err: thrown }, "unhandled rejection"));
  process.on("uncaughtException", (thrown) => {
    log.fatal({ err: thrown }, "uncaught exception: the server stops");
    process.exit(1);
  });
  const model = serving.tackle.models.defaultId();
  const setUp = serving.setUpToken && `${config.publicUrl ?? serving.url}/?setup=${serving.setUpToken}`;
  say(serveLines({ url: serving.url, model, version: productVersion(), setUp }));

  await new Promise<void>((resolve) => {
    let asked = false;
    const stop = (signal: NodeJS.Signals) => {
      if (asked && signal === "SIGINT") process.exit(130);
      if (asked) return;
      asked = true;
      process.stderr.write("tackle: stopping … Press Ctrl-C again to stop at once.\n");
      resolve();
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
  });
  // If a database or a child process hangs, exit anyway: other instances take over when the leases expire.
  setTimeout(() => process.exit(0), config.graceMs).unref();
  await serving.close();
  return 0;
}

function listenFailure(thrown: unknown, { host, port }: Config): unknown {
  const isListening = thrown instanceof Error && "syscall" in thrown && thrown.syscall === "listen";
  const code = isListening && "code" in thrown ? thrown.code : undefined;
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is already in use. Stop the program that uses it, or choose another port with --port.`,
    EACCES: `Port ${port} needs more rights than this user has. Choose a port above 1023 with --port.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Choose another with --host.`,
  };
  const sentence = sentences[String(code)];
  return sentence === undefined ? thrown : new Failure("INVALID_INPUT", sentence, { cause: thrown });
}
