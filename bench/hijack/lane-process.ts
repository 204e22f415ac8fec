import type { Transport } from "./lane.ts";
import { playLane } from "./play-lane.ts";

// A process that plays one lane: `lane-process.ts <transport> <honest|none> <sample>`. It sends what it measured to its parent.

const [transport, annotations, sample] = process.argv.slice(2);
process.send?.(await playLane(transport as Transport, annotations === "honest", Number(sample)));
process.disconnect?.();
