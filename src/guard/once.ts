/** Works something out once for each list, however often it is asked for. The list must not change. */
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
