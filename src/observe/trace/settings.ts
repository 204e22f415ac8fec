import { decodeUri } from "../../protocol/uri.ts";
/** Where spans are sent, and under which service name. */
export interface TraceSettings {
  endpoint: string;
  headers: Record<string, string>;
  /** The service that the spans come from. */
  resource: Record<string, string>;
  timeoutMs: number;
}

type Settings = Readonly<Record<string, string | undefined>>;

const TIMEOUT_MS = 10_000;

/** Reads the standard OpenTelemetry settings. Undefined if no exporter is configured. */
export function readTraceSettings(settings: Settings): TraceSettings | undefined {
  const base = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  const endpoint =
    settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base.replace(/\/+$/, "")}/v1/traces`);
  const isOff = settings.OTEL_SDK_DISABLED === "true" || settings.OTEL_TRACES_EXPORTER === "none";
  if (!endpoint || isOff) return undefined;
  const timeout = settings.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? settings.OTEL_EXPORTER_OTLP_TIMEOUT;
  const resource = pairs(settings.OTEL_RESOURCE_ATTRIBUTES);
  return {
    endpoint,
    headers: pairs(settings.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? settings.OTEL_EXPORTER_OTLP_HEADERS),
    resource: {
      ...resource,
      "service.name": settings.OTEL_SERVICE_NAME ?? resource["service.name"] ?? "tackle",
    },
    timeoutMs: Number(timeout) > 0 ? Number(timeout) : TIMEOUT_MS,
  };
}

/** `name=value,name=value`, with percent-encoded values. */
function pairs(text = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const pair of text.split(",")) {
    const [name = "", ...value] = pair.split("=");
    if (name.trim() !== "" && value.length > 0) found[name.trim()] = decodeUri(value.join("=").trim());
  }
  return found;
}
