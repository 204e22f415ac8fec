import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Duplicate, findDuplicates } from "./figures/duplicates.ts";
import { looseFiles, readSources, type Source } from "./figures/sources.ts";
import { type Place, readSyntax } from "./figures/syntax.ts";

// Part of `npm run check`: prints the size of src/ and fails if a figure is over its limit.

const root = resolve(import.meta.dirname, "..");
/** Shows this many places of a figure that is over its goal. */
const SHOWN = 8;

interface Figure {
  name: string;
  value: number;
  /** What we want. */
  goal?: number;
  /** What fails the check: the goal, or today's value until the goal is reached. */
  limit?: number;
  places?: string[];
}

function measure(): Figure[] {
  const sources = readSources(root);
  const { doubleCasts, anys, nonNulls, longFunctions } = readSyntax(sources);
  // A translation has the keys of the English texts: a test demands it.
  const duplicates = findDuplicates(sources.filter(({ path }) => !/^src\/web\/text\/\w+\//.test(path)));
  const loose = looseFiles(sources);
  const lengths = sources.map(({ lines }) => lines.length).sort((one, other) => one - other);
  const unused = unusedTestPackages();
  return [
    { name: "files directly in src/", value: loose.length, goal: 2, limit: 2, places: loose },
    { name: "lines of TypeScript", value: sum(lengths) },
    { name: "lines per file, median", value: quantile(lengths, 0.5), goal: 80, limit: 80 },
    { name: "lines per file, 95th percentile", value: quantile(lengths, 0.95), goal: 240, limit: 240 },
    {
      name: "lines per file, longest",
      value: lengths.at(-1) ?? 0,
      goal: 400,
      limit: 400,
      places: longest(sources),
    },
    {
      name: "`as unknown as`",
      value: doubleCasts.length,
      goal: 0,
      limit: 0,
      places: doubleCasts.map(show),
    },
    { name: "`any`", value: anys.length, goal: 0, limit: 0, places: anys.map(show) },
    { name: "`!` on a value", value: nonNulls.length, goal: 3, limit: 3, places: nonNulls.map(show) },
    {
      name: "functions over 90 lines, without those inside of them",
      value: longFunctions.length,
      goal: 0,
      limit: 0,
      places: longFunctions.map(showLength),
    },
    {
      name: "duplicated blocks of ten lines and more",
      value: duplicates.length,
      goal: 40,
      limit: 40,
      places: duplicates.map(showCopy),
    },
    {
      name: "lines of guard/injection",
      value: sum(
        sources
          .filter(({ path }) => path.startsWith("src/guard/injection/"))
          .map(({ lines }) => lines.length),
      ),
      goal: 1_200,
      limit: 1_200,
    },
    { name: "test packages that nothing uses", value: unused.length, goal: 0, limit: 0, places: unused },
  ];
}

/** Returns the test packages that no program, test or page mentions. */
function unusedTestPackages(): string[] {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "test/package.json"), "utf8"));
  const files = globSync("{src,test,bench,faults,scripts,docs}/**/*.{ts,tsx,mjs,md}", { cwd: root });
  const text = files.map((path) => readFileSync(join(root, path), "utf8")).join("\n");
  return Object.keys(devDependencies).filter((name) => {
    const folders = name.replace("@types/", "").split("/");
    // Some paths below node_modules are written as a list of folders, or start at the second folder.
    const spellings = [folders.join("/"), folders.join('", "'), `"${folders.at(-1)}/dist/`];
    return !spellings.some((spelling) => text.includes(spelling));
  });
}

function longest(sources: Source[]): string[] {
  const sorted = sources.toSorted((one, other) => other.lines.length - one.lines.length);
  return sorted.map(({ path, lines }) => `${path}: ${lines.length} lines`);
}

function show({ path, line }: Place): string {
  return `${path}:${line}`;
}

function showLength(place: Place): string {
  return `${show(place)}: ${place.lines} lines`;
}

function showCopy({ path, line, lines, first }: Duplicate): string {
  return `${path}:${line}: ${lines} lines, as in ${first}`;
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function quantile(sorted: number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

function print({ name, value, goal, limit, places = [] }: Figure): void {
  const wanted =
    goal === undefined ? "" : ` (goal: ${goal === 0 ? "" : "at most "}${goal.toLocaleString("en-US")})`;
  const fails = limit !== undefined && value > limit;
  const verdict = fails ? `  OVER THE LIMIT OF ${limit?.toLocaleString("en-US")}` : "";
  console.log(`${value.toLocaleString("en-US").padStart(8)}  ${name}${wanted}${verdict}`);
  const isGood = value === 0 || (goal !== undefined && value <= goal);
  if (isGood) return;
  for (const place of places.slice(0, SHOWN)) console.log(`            ${place}`);
  if (places.length > SHOWN) console.log(`            … and ${places.length - SHOWN} more`);
}

const figures = measure();
for (const figure of figures) print(figure);
process.exit(figures.some(({ value, limit }) => limit !== undefined && value > limit) ? 1 : 0);
