import { defineConfig } from "vitest/config";

/** `npm run test:full`: PostgreSQL, protocol conformance and other prerequisites; a missing one fails. */
export default defineConfig({
  test: {
    setupFiles: ["test/helpers/properties.ts"],
    include: ["test/full/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    // Ends what hangs; no measure of speed.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    expect: { poll: { timeout: 1_800_000, interval: 20 } },
  },
});
