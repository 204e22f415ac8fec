import { containedFetch } from "../../contain/fetch.ts";
import type { KeyCheck } from "../../protocol/catalogue.ts";
import type { ToolSettings } from "../../protocol/tool.ts";
import { fetchOptions } from "./exchange.ts";
import { SEARCH_PROVIDERS } from "./providers.ts";

const MAX_BYTES = 200_000;

/** Tries a key, or without one the operator's, by the cheapest request that the service has. */
export async function checkSearchKey(
  id: string,
  given: string | undefined,
  settings: ToolSettings["env"],
  signal: AbortSignal,
): Promise<KeyCheck> {
  const provider = SEARCH_PROVIDERS.find((one) => one.id === id);
  if (provider?.keySetting === undefined) return { result: "unknown" };
  const key = given ?? settings[provider.keySetting];
  const own = settings[provider.baseUrlSetting];
  const baseUrl = (own ?? provider.baseUrl ?? "").trim().replace(/\/+$/, "");
  if (key === undefined || baseUrl === "") return { result: "unknown" };
  const access = { baseUrl, key, allowPrivate: own !== undefined };
  const request =
    provider.checkRequest?.(access) ?? provider.request({ query: "weather", maxResults: 1 }, access);
  let status: number | undefined;
  try {
    const fetched = await containedFetch(request.url, {
      signal,
      ...fetchOptions(request, access),
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
      inspect: (head) => {
        status = head.status;
      },
    });
    status = fetched.status;
  } catch {
    // Without a status, the service did not answer. With one, only the body could not be read.
  }
  return { result: meaningOf(status, provider.statuses?.[status ?? 0]) };
}

function meaningOf(status: number | undefined, trouble: string | undefined): KeyCheck["result"] {
  if (status === undefined) return "unreachable";
  if (trouble === "exhausted") return "exhausted";
  if (status < 300) return "works";
  return status === 429 || status >= 500 ? "busy" : "refused";
}
