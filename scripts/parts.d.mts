export function installParts(names?: readonly string[]): string[];
