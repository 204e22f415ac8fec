/** Freezes a value and everything in it. */
export function deepFreeze<Value>(root: Value): Value {
  const pending: unknown[] = [root];
  for (let value = pending.pop(); pending.length > 0 || value !== undefined; value = pending.pop()) {
    if (typeof value !== "object" || value === null || Object.isFrozen(value)) continue;
    Object.freeze(value);
    for (const inner of Object.values(value)) pending.push(inner);
  }
  return root;
}
