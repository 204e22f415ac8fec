import { readdirSync } from "node:fs";

// `npm run bench -- <name>` runs `bench/<name>.ts`. Without a name it lists them.

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "main.ts")
  .map((file) => file.replace(/\.ts$/, ""));
const [wanted] = process.argv.slice(2);

if (wanted !== undefined && names.includes(wanted)) {
  const { run } = (await import(`./${wanted}.ts`)) as { run(): Promise<void> };
  await run();
} else {
  console.log(`npm run bench -- <name>, with one of: ${names.join(", ")}`);
  process.exitCode = wanted === undefined ? 0 : 2;
}
