import { defineConfig } from "vitest/config";

/** `npm run test:data`: tests on real traces under SVC_DATA; a missing folder fails, it is not skipped. */
export default defineConfig({
  test: {
    setupFiles: ["test/helpers/properties.ts"],
    include: ["test/data/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    // Ends what hangs; no measure of speed.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    expect: { poll: { timeout: 1_800_000, interval: 20 } },
  },
});
