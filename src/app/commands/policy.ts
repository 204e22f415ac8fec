import { policyWarnings } from "../../guard/policy-warnings.ts";
import type { CommandLine } from "../../terminal/arguments.ts";
import { policyLines } from "../../terminal/listings.ts";
import { report } from "../../terminal/output.ts";
import { checkPolicy, readPolicy } from "../policy-file.ts";
import { openTackle } from "./open-tackle.ts";

/** Runs the tests of the approval policy. Returns 1 if one fails. */
export async function run(line: CommandLine): Promise<number> {
  const tackle = await openTackle(line);
  try {
    const { policyFile } = tackle.config;
    const policy = readPolicy(policyFile);
    const checks = checkPolicy(policy, tackle.registry);
    report(line, checks, () => policyLines(checks, policyFile));
    for (const warning of policyWarnings(policy)) process.stderr.write(`! ${warning}\n`);
    return checks.every(({ expected, said }) => expected === said) ? 0 : 1;
  } finally {
    await tackle.close();
  }
}
