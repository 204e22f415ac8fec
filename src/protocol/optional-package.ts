import { Failure } from "./failure.ts";

const MISSING = /^Cannot find package '([^']+)'/;

/** The name of the optional package that this error reports as missing, if it does. */
export function missingPackage(thrown: unknown): string | undefined {
  const { code, message = "" } = thrown instanceof Error ? (thrown as NodeJS.ErrnoException) : {};
  return code === "ERR_MODULE_NOT_FOUND" ? MISSING.exec(message)?.[1] : undefined;
}

/** Loads a module that needs an optional package. Throws a `Failure` that names the package if it is missing. */
export async function loadOptional<Module>(purpose: string, loading: Promise<Module>): Promise<Module> {
  try {
    return await loading;
  } catch (thrown) {
    const name = missingPackage(thrown);
    if (name === undefined) throw thrown;
    const message = `${purpose} needs the package ${name}, which is not installed. Run npm install ${name}.`;
    throw new Failure("INTERNAL", message, { cause: thrown, retryable: false });
  }
}
