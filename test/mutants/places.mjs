import { globSync } from "node:fs";

/** The code that mutation testing covers, by place. A pattern with `!` leaves files out. */
export const PLACES = {
  loop: ["src/loop/**/*.ts"],
  guard: ["src/guard/**/*.ts", "!src/guard/*.generated.ts"],
  runs: ["src/runs/**/*.ts"],
  journal: ["src/store/{journal,run-log,run-buffer,feed}.ts"],
};

/** Lists the source files of a place, without tests and their support code. */
export function filesOf(place, root) {
  const list = (pattern) => globSync(pattern, { cwd: root });
  const wanted = PLACES[place].filter((pattern) => !pattern.startsWith("!")).flatMap(list);
  const left = new Set(
    PLACES[place].filter((pattern) => pattern.startsWith("!")).flatMap((one) => list(one.slice(1))),
  );
  const files = wanted.filter((file) => !left.has(file) && !/\.test\.ts$|[\\/]testing[\\/]/.test(file));
  return files.map((file) => file.replaceAll("\\", "/")).sort();
}

/** Returns the place of a file. */
export function placeOf(file) {
  return Object.keys(PLACES).find((place) =>
    file.startsWith(place === "journal" ? "src/store/" : `src/${place}/`),
  );
}
