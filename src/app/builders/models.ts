import { join } from "node:path";
import { createPersonalSettings, type PersonalSettingsAndKeys } from "../../accounts/personal-settings.ts";
import { createVault } from "../../accounts/vault.ts";
import { createSanitizer } from "../../guard/injection/sanitize.ts";
import { withBreaker } from "../../guard/model-breaker.ts";
import { createModelOffers } from "../../guard/model-offers.ts";
import { notePassingSecrets } from "../../guard/redact/known.ts";
import { createModelCatalogue } from "../../models/catalogue.ts";
import { createListCache } from "../../models/list-cache.ts";
import { noticesAbout } from "../../models/notices.ts";
import { createPersonalModels } from "../../models/personal-models.ts";
import { readProviders } from "../../models/read-providers.ts";
import { createSideModels } from "../../models/side-models.ts";
import { measuredModel } from "../../observe/run-metrics.ts";
import { tracedModel } from "../../observe/trace/traced-model.ts";
import type { ModelCatalogue, VendorKeys } from "../../protocol/catalogue.ts";
import type { Model, ModelWarning } from "../../protocol/model.ts";
import type { ModelOffers, PersonalModels } from "../../protocol/model-offers.ts";
import type { ModelServers } from "../../protocol/model-servers.ts";
import type { Principal } from "../../protocol/principal.ts";
import type { Provider } from "../../protocol/provider.ts";
import { checkSearchKey } from "../../tools/search/check-key.ts";
import { searchVendors } from "../../tools/search/providers.ts";
import type { Closing } from "../closing.ts";
import type { Config } from "../config.ts";
import { connectProviders } from "../connect-providers.ts";
import { openModelServers } from "../model-servers.ts";
import type { Data } from "./data.ts";
import type { Guards } from "./guards.ts";
import type { Observers } from "./observers.ts";

/** Each warning is logged once. Messages from outside must not fill the memory. */
const MAX_LOGGED = 1_000;

/** The models that answer, and the keys that they are asked with. */
export interface Models {
  catalogue: ModelCatalogue;
  sideModels: ReturnType<typeof createSideModels>;
  personalSettings: PersonalSettingsAndKeys;
  keysOf(userId: string): Promise<VendorKeys>;
  /** What administrators added. */
  servers: ModelServers;
  /** Who is offered which models. */
  offers: ModelOffers;
  modelsFor(principal: Principal): Promise<PersonalModels>;
}

/** Connects the vendors that are set up. Every model is measured and has a circuit breaker. */
export async function openModels(
  config: Config,
  own: { providers?: readonly Provider[]; models?: readonly Model[] },
  { store, keyFor, log }: Data,
  { metrics, tracer }: Observers,
  { limits }: Guards,
  closing: Closing,
): Promise<Models> {
  const lists = createListCache(join(config.dataDir, "model-lists"), (thrown) =>
    log.warn({ err: thrown }, "could not keep a model list"),
  );
  const connections = await connectProviders(config, await readProviders(own.providers), lists);
  closing.add(() => connections.close());
  const logged = new Set<string>();
  const onWarning = ({ code, message }: ModelWarning, model: string) => {
    const key = `${model} ${message}`;
    if (logged.has(key) || logged.size >= MAX_LOGGED) return;
    logged.add(key);
    log.warn({ code, model }, message);
  };
  const watched = (model: Model, { id, label }: { id: string; label: string }, ownKey?: string) => {
    const measured = { provider: id, ownKey: ownKey !== undefined };
    return withBreaker(measuredModel(model, measured, metrics.note, onWarning), limits.breakers, {
      label,
      ownKey,
    });
  };
  const catalogue = createModelCatalogue({
    ...connections,
    own: (own.models ?? []).map((model) => watched(model, vendorOf(model))),
    connect: (vendor, info) => {
      const isShared = connections.connected.includes(vendor);
      return watched(connections.connect(vendor, info), vendor.provider, isShared ? undefined : vendor.key);
    },
    preferred: config.model,
    prices: config.prices,
  });
  const { id: first } = catalogue.resolve(undefined); // Throws here, at the start, where the setting names no model.
  void catalogue.list().then((listings) => {
    for (const line of noticesAbout(config.model, listings)) log.warn(line);
    const usual = catalogue.defaultId();
    if (usual !== first)
      log.info(`The default model is ${usual}, because its vendor does not list ${first}.`);
  });
  const offers = createModelOffers(store);
  const personalSettings = createPersonalSettings({
    store,
    vault: createVault(keyFor("stored keys")),
    vendors: [...vendorsWithKeys(catalogue), ...searchVendors({})],
    search: searchVendors(config.settings),
    checkSearchKey: (vendor, key, signal) => checkSearchKey(vendor, key, config.settings, signal),
    models: catalogue,
    noteKeys: notePassingSecrets,
    offerTo: (principal) => offers.to(principal),
  });
  const { keysOf } = personalSettings;
  const trace = tracer && ((model: Model) => tracedModel(tracer, model, tracer.place()));
  const sideModels = createSideModels({
    settings: config.settings,
    models: catalogue,
    keysOf,
    sanitizer: createSanitizer,
    trace,
  });
  const servers = await openModelServers({
    store,
    vault: createVault(keyFor("model servers")),
    catalogue,
    connections,
  });
  closing.add(() => servers.close());
  const modelsFor = createPersonalModels({ catalogue, keysOf, offers });
  return { catalogue, sideModels, personalSettings, keysOf, servers, offers, modelsFor };
}

/** A program's own model has a circuit breaker by the first part of its id. */
function vendorOf({ id }: Model): { id: string; label: string } {
  const name = id.split("/", 1)[0] ?? id;
  return { id: name, label: name };
}

function vendorsWithKeys(catalogue: ModelCatalogue): { id: string; label: string }[] {
  return catalogue.known().flatMap(({ id, label, keySetting }) => (keySetting ? [{ id, label }] : []));
}
