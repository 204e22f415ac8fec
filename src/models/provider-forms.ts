import type { ModelInfo } from "../protocol/model.ts";
import type { Provider } from "../protocol/provider.ts";

type Settings = Readonly<Record<string, string | undefined>>;

/** Returns the ways to talk to the vendor's server at this address, best first. The one whose model list answers is right. */
export function formsOf(provider: Provider, baseUrl: string, settings: Settings): [Provider, ...Provider[]] {
  const { otherwise } = provider;
  if (!otherwise) return [withContextLimit(provider, settings)];
  const other = { ...provider, ...otherwise };
  const named = baseUrl.replace(/\/+$/, "").endsWith(otherwise.pathPrefix ?? "");
  return named ? [other] : [withContextLimit(provider, settings), other];
}

/** Limits the context windows of all models to what the operator allows. */
function withContextLimit(provider: Provider, settings: Settings): Provider {
  const { contextSetting, list, unknownModel } = provider;
  if (!contextSetting || !list) return provider;
  const limit = Number(settings[contextSetting.name] ?? contextSetting.usual);
  const limited = (model: ModelInfo): ModelInfo =>
    model.quirks?.remote ? model : { ...model, contextWindow: Math.min(model.contextWindow ?? limit, limit) };
  const { each } = list;
  return {
    ...provider,
    unknownModel: { ...unknownModel, contextWindow: limit },
    list: {
      ...list,
      read: (body) => list.read(body).map(limited),
      ...(each && {
        each: {
          ...each,
          read(model, body) {
            const described = each.read(model, body);
            return described && limited(described);
          },
        },
      }),
    },
  };
}
