import { readdirSync } from "node:fs";
import { installParts } from "../scripts/parts.mjs";

// `npm run bench -- <name>` runs `bench/<name>.ts`. Without a name it lists them.

/** The packages of `scripts/parts.mjs` that a bench can't do without. */
const PARTS: Record<string, string[]> = {
  artifact: ["chromium-headless-shell"],
  hostile: ["chromium-headless-shell"],
  sandbox: ["bubblewrap"],
  screens: ["chromium-headless-shell"],
  security: ["bubblewrap"],
  web: ["chromium-headless-shell"],
};

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "main.ts")
  .map((file) => file.replace(/\.ts$/, ""));
const [wanted] = process.argv.slice(2);

if (wanted !== undefined && names.includes(wanted)) {
  const missing = installParts(PARTS[wanted] ?? []);
  if (missing.length > 0) {
    console.error(`This bench needs ${missing.join(" and ")}: install it, for example with apt-get.`);
    process.exit(1);
  }
  const { run } = (await import(`./${wanted}.ts`)) as { run(): Promise<void> };
  await run();
} else {
  console.log(`npm run bench -- <name>, with one of: ${names.join(", ")}`);
  process.exitCode = wanted === undefined ? 0 : 2;
}
