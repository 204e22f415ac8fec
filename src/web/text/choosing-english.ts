/** Texts of the lists of models and tools in English. */
export const choosingEnglish = {
  searchModels: { one: "Search {count} model", other: "Search {count} models" },
  recentModels: "Recent",
  perMillionTokens: "per million tokens",
  yourKey: "your key",
  serverKey: "the server’s key",
  tagImages: "Images",
  tagThinks: "Thinks",
  tagLocal: "This computer",
  tagEnding: "Ending",
  free: "Free",
  addKey: "Add a key",
  chooseByKeys: "↑↓ to choose, Enter to use",
  manageModels: "Manage models",
  noModelFound: "No model is called that.",
  contextWindow: "Takes up to {window} tokens at once.",
};
