import type { Probe } from "./probe.ts";
import { BOUND_PROBES } from "./probes-bounds.ts";
import { FILE_PROBES } from "./probes-files.ts";
import { GENERAL_PROBES } from "./probes-general.ts";
import { PROCESS_PROBES } from "./probes-processes.ts";

/** Everything that a command must not be able to do. */
export const PROBES: readonly Probe[] = [
  ...GENERAL_PROBES,
  ...FILE_PROBES,
  ...PROCESS_PROBES,
  ...BOUND_PROBES,
];
