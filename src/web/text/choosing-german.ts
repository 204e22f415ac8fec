/** Texts of the lists of models and tools in German. */
export const choosingGerman = {
  searchModels: { one: "{count} Modell durchsuchen", other: "{count} Modelle durchsuchen" },
  recentModels: "Zuletzt benutzt",
  perMillionTokens: "pro Million Tokens",
  yourKey: "dein Schlüssel",
  serverKey: "Schlüssel des Servers",
  tagImages: "Bilder",
  tagThinks: "Denkt nach",
  tagLocal: "Dieser Computer",
  tagEnding: "Endet bald",
  free: "Kostenlos",
  addKey: "Schlüssel hinzufügen",
  chooseByKeys: "↑↓ zum Auswählen, Enter zum Benutzen",
  manageModels: "Modelle verwalten",
  noModelFound: "Kein Modell heißt so.",
  contextWindow: "Nimmt bis zu {window} Tokens auf einmal.",
};
