/**
 * Ends a switch that handles every case of a union: a missing case does not compile here. At run time only an instance of
 * a newer version can send an unknown case. It is skipped by returning `result`, so both versions can run side by side.
 */
export function ignoreUnknown<Result>(_unknown: never, result: Result): Result {
  return result;
}
