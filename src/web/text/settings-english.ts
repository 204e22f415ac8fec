/** Texts of the settings in English. */
export const settingsEnglish = {
  modelsAndKeys: "Models and keys",
  modelsAndKeysHint: "Your keys stay on this server and are used before its own.",
};
