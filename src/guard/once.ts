/** Returns a function that computes its result once for each list and remembers it. The list must not change. */
export function once<List extends object, Result>(work: (list: List) => Result): (list: List) => Result {
  const known = new WeakMap<List, Result>();
  return (list) => {
    const before = known.get(list);
    if (before !== undefined) return before;
    const result = work(list);
    known.set(list, result);
    return result;
  };
}
