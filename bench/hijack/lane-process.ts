import type { Transport } from "./lane.ts";
import { playLane } from "./play-lane.ts";

// A process that plays one lane: `lane-process.ts TRANSPORT honest|none SAMPLE KINDS`. It sends what it measured to its parent.

const [transport, annotations, sample, kinds = ""] = process.argv.slice(2);
const only = kinds === "" ? undefined : kinds.split(",");
const lines = await playLane(transport as Transport, annotations === "honest", Number(sample), only);
// A long message takes a while: who disconnects at once cuts it off.
process.send?.(lines, undefined, undefined, () => process.disconnect());
