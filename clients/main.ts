import { CLIENTS } from "./catalogue.ts";
import { CELLS, type CellName, type Client, type Outcome } from "./client.ts";
import { type Installed, install } from "./install.ts";
import { type Lab, openLab } from "./lab.ts";
import { killAll } from "./process.ts";
import { type Row, writeTable } from "./table.ts";

// `npm run clients` installs other people's programs and drives them through our server; `npm run clients -- NAME…` some of them.

const CLIENT_MS = 600_000;
const AT_A_TIME = 2;

const names = process.argv.slice(2);
const unknown = names.filter((name) => !CLIENTS.some((one) => one.name === name));
if (unknown.length > 0) {
  console.log(`Unknown: ${unknown.join(", ")}. Clients: ${CLIENTS.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const labs = new Set<Lab>();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());
const wanted = CLIENTS.filter(({ name }) => names.length === 0 || names.includes(name));
const rows: Row[] = [];
const notInstalled: string[] = [];
const queue = [...wanted];
await Promise.all(Array.from({ length: AT_A_TIME }, work));
writeTable(CLIENTS, rows);
const failed = rows.filter(({ outcomes }) => Object.values(outcomes).some(({ state }) => state === "failed"));
console.log(`${rows.length - failed.length} of ${rows.length} clients work`);
if (notInstalled.length > 0)
  console.log(`Not installed, so their rows stay as they are: ${notInstalled.join(", ")}`);
process.exit(failed.length + notInstalled.length === 0 ? 0 : 1);

/** Takes one client after the other. They mostly wait, so a few run side by side. */
async function work(): Promise<void> {
  for (let client = queue.shift(); client; client = queue.shift()) {
    const { name, packages } = client;
    // A package whose newest version a registry lacks says nothing about us.
    const installed = await install(name, packages).catch((error: unknown) => {
      console.log(`skipped ${name}: ${error instanceof Error ? error.message : String(error)}`);
      notInstalled.push(name);
    });
    if (installed) rows.push(await play(client, installed));
  }
}

async function play(client: Client, installed: Installed): Promise<Row> {
  const outcomes: Row["outcomes"] = {};
  const report = (cell: CellName, outcome: Outcome) => {
    outcomes[cell] = outcome;
    const why = outcome.state === "passed" ? "" : `: ${outcome.why}`;
    console.log(`${outcome.state.padEnd(7)} ${client.name}, ${CELLS[cell]}${why}`);
  };
  const { versions } = installed;
  try {
    const lab = await openLab();
    labs.add(lab);
    const late = Promise.withResolvers<never>();
    const limit = setTimeout(() => late.reject(new Error("it took too long")), CLIENT_MS);
    try {
      await Promise.race([client.play(installed, lab, report), late.promise]);
    } finally {
      clearTimeout(limit);
      await close(lab);
    }
  } catch (error) {
    report("turns", { state: "failed", why: error instanceof Error ? error.message : String(error) });
  }
  return { client, versions, outcomes };
}

async function close(lab: Lab): Promise<void> {
  labs.delete(lab);
  killAll(lab.home);
  await lab.close();
}

/** Leaves nothing behind, even if somebody stops it. */
async function stop(): Promise<void> {
  await Promise.all([...labs].map(close));
  process.exit(130);
}
