import { readFileSync } from "node:fs";

/** All test packages share one node_modules with the rest; `npm run check` looks for unused ones on its own. */
const { devDependencies } = JSON.parse(readFileSync(new URL("test/package.json", import.meta.url), "utf8"));

export default {
  workspaces: {
    ".": {
      entry: [
        "src/cli.ts",
        "src/index.ts",
        "src/client/chat.ts",
        "src/http/large-json-worker.ts",
        "src/tools/artifacts/worker-process.ts",
        "src/tools/builtin/*.ts",
        "src/tools/builtin/*/index.ts",
        "src/tools/builtin/*/worker.ts",
        "src/models/providers/*.ts",
        "src/contain/command/testing/parent.ts",
        "src/store/sqlite/search-worker.ts",
        "src/web/main.tsx",
        "src/web/{shared,sign-in}/main.{ts,tsx}",
        "src/web/installed/service-worker.ts",
        "src/web/markdown/highlight-worker.ts",
        "src/**/*.test.ts",
        "bench/*.ts",
        "bench/hijack/{hijack.test.ts,lane-process.ts,stdio-server.mjs}",
        "bench/gateway/{client,upstream}.ts",
        "bench/load/{client,server,upstream}.ts",
        "bench/million/{model,people}.ts",
        "bench/million/*.test.ts",
        "faults/main.ts",
        "faults/shifted-clock.mjs",
        "clients/main.ts",
        "scripts/*.{mjs,ts}",
        "bin/*.mjs",
      ],
      project: [
        "src/**/*.{ts,tsx}",
        "bench/**/*.ts",
        "faults/**/*.{ts,mjs}",
        "clients/**/*.ts",
        "scripts/**/*.{mjs,ts}",
      ],
      ignoreDependencies: [
        ...Object.keys(devDependencies),
        "@fontsource-variable/geist",
        "@fontsource-variable/geist-mono",
        "framer-motion",
        "lucide-react",
        "mermaid",
        "react-is",
        "recharts",
      ],
    },
    test: {
      entry: ["**/*.test.ts", "support/compiled.ts", "support/use-chat.tsx"],
      project: ["**/*.{ts,tsx}"],
      ignoreDependencies: [".+"],
    },
    "test/mutants": {
      // Stryker loads its plugins and the configuration by name.
      entry: ["main.mjs", "sampler.mjs", "test-file.mjs", "vitest.config.mjs"],
      ignoreDependencies: [".+"],
    },
  },
  ignoreExportsUsedInFile: true,
  ignoreBinaries: ["apt-cache", "apt-get", "mkfifo", "mount", "nats-server", "openssl", "script", "umount"],
};
