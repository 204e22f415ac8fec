import { oldFacts, readProviders } from "../src/models/read-providers.ts";

// Part of `npm run check`: warns of facts about models that were last compared with the vendor's documentation long ago.
// It never fails, because time alone would break the build.

for (const line of oldFacts(await readProviders(), new Date())) console.log(`warning: ${line}`);
