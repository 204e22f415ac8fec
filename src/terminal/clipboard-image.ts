import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../protocol/failure.ts";

const MOST_BYTES = 20_000_000;
const READERS: readonly [program: string, ...args: string[]][] = [
  ["wl-paste", "--no-newline", "--type", "image/png"],
  ["xclip", "-selection", "clipboard", "-target", "image/png", "-out"],
];

/** Stores the image that is in the clipboard. Returns its path, or throws a Failure that says why there is none. */
export async function clipboardImage(): Promise<string> {
  let isReadable = false;
  for (const [program, ...args] of READERS) {
    try {
      const options = { encoding: "buffer", maxBuffer: MOST_BYTES, timeout: 3_000 } as const;
      const { stdout } = await promisify(execFile)(program, args, options);
      isReadable = true;
      if (stdout.length === 0) continue;
      const path = join(await mkdtemp(join(tmpdir(), "tackle-")), "clipboard.png");
      await writeFile(path, stdout, { mode: 0o600 });
      return path;
    } catch (thrown) {
      // The program is there, but the clipboard has no image.
      if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT")) isReadable = true;
    }
  }
  throw new Failure(
    "INVALID_INPUT",
    isReadable
      ? "There is no image in the clipboard."
      : "The clipboard cannot be read here. Install wl-paste or xclip, or paste the path of an image.",
  );
}
