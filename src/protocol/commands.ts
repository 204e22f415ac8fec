import type { Principal } from "./principal.ts";

/** What commands of one person get besides the open folders. All paths are absolute and free of links. */
export interface CommandProfile {
  /** Their home folder, with the caches of package managers. It lies outside of the open folders. */
  readonly home: string;
  /** A file with the person's safe Git settings. */
  readonly gitConfig?: string;
  /** The folders of the person's search path, in order. */
  readonly searchPath: readonly string[];
  /** Files and folders that programs in the search path need. */
  readonly programs: readonly string[];
  /** Where some of these programs look for their parts. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Whose command it is. */
export interface CommandCaller {
  readonly principal: Principal;
  readonly sessionId: string | undefined;
  readonly roots: readonly string[];
}

/** What commands need besides the sandbox. */
export interface CommandServices {
  profileFor(caller: CommandCaller): Promise<CommandProfile>;
}
