import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { HANGS_MS } from "./test/hangs.ts";
import Progress from "./test/helpers/progress.ts";

// Tests start threads and processes of the service: what one compiled is kept for the others.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url));

/** `npm test`: self-contained, needs a clone, npm and Node only. */
export default defineConfig({
  test: {
    globalSetup: ["test/helpers/run/results-folder.ts"],
    setupFiles: ["test/helpers/run/properties.ts"],
    include: ["test/**/*.test.ts"],
    exclude: ["test/data/**", "test/full/**", "**/node_modules/**"],
    pool: "forks",
    // One more than cores: a third of the time of the tests is waiting, for processes and for the disk. Each holds up to a GB.
    maxWorkers: Math.min(8, availableParallelism()) + 1,
    // The modules are evaluated once in each process and not for every file: a test keeps no state in them.
    isolate: false,
    // Node reads the modules itself, as it does for users: no test replaces a module, which is what Vite would be needed for.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    restoreMocks: true,
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    teardownTimeout: HANGS_MS,
    expect: { poll: { timeout: HANGS_MS, interval: 20 } },
    // In a log, only what fails, the sum, and how far it is.
    reporters: [process.stdout.isTTY ? "default" : "minimal", new Progress()],
  },
});
