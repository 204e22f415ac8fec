import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { OutputStream } from "./output.ts";

/** A pipe for one stream: the command writes to the descriptor, and we read from the socket. */
export interface OutputPipe {
  readonly descriptor: number;
  readonly reader: Socket;
}

export type OutputPipes = Record<OutputStream, OutputPipe>;

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;

/**
 * Creates real pipes. Node gives children sockets, which cannot be opened by name, so `echo problem > /dev/stderr` would
 * fail. The caller closes the descriptors once the child has them.
 */
export async function createOutputPipes(): Promise<OutputPipes> {
  const folder = await mkdtemp(join(tmpdir(), "tackle-pipes-"));
  try {
    const paths = { stdout: join(folder, "out"), stderr: join(folder, "err") };
    // The command may run as another user. Only that user can enter the folder.
    await promisify(execFile)(
      "/bin/sh",
      ["-c", 'mkfifo -m 666 "$1" "$2"', "sh", paths.stdout, paths.stderr],
      {
        env: { PATH: "/usr/bin:/bin" },
      },
    );
    return { stdout: openPipe(paths.stdout), stderr: openPipe(paths.stderr) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function openPipe(path: string): OutputPipe {
  // In this order neither end blocks, and the reader never sees a pipe without a writer.
  const end = openSync(path, O_RDONLY | O_NONBLOCK);
  const descriptor = openSync(path, O_WRONLY);
  return { descriptor, reader: new Socket({ fd: end, readable: true, writable: false }) };
}

/** Closes our copies of the descriptors that the child writes to. */
export function releaseDescriptors(pipes: OutputPipes): void {
  closeSync(pipes.stdout.descriptor);
  closeSync(pipes.stderr.descriptor);
}
