import { LOOK_ALIKES } from "./confusables.generated.ts";

const ASCII_OF = new Map<number, string>();

for (const [target, steps] of LOOK_ALIKES) {
  let letter = 0;
  for (const step of steps.split(" ")) {
    letter += Number.parseInt(step, 36);
    ASCII_OF.set(letter, target);
  }
}

/** Returns the lowercase ASCII character that a letter looks like, or undefined. */
export function asciiLookAlike(codePoint: number): string | undefined {
  return ASCII_OF.get(codePoint) ?? enclosedLetter(codePoint);
}

/** Letters in circles, squares and flags. Unicode counts them as symbols. */
function enclosedLetter(codePoint: number): string | undefined {
  if (codePoint < 0x1f130) return undefined;
  for (const first of [0x1f130, 0x1f150, 0x1f170, 0x1f1e6]) {
    if (codePoint >= first && codePoint < first + 26) return String.fromCharCode(97 + codePoint - first);
  }
  return undefined;
}
