/** Returns the cached value of a key, or makes it. The oldest values are dropped beyond `max`. */
export function cached<Value>(cache: Map<string, Value>, key: string, max: number, make: () => Value): Value {
  const value = cache.get(key) ?? make();
  cache.delete(key);
  cache.set(key, value);
  const [oldest] = cache.keys();
  if (cache.size > max && oldest !== undefined) cache.delete(oldest);
  return value;
}
