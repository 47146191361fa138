import { defineConfig } from "vitest/config";

/** `npm run test:full`: PostgreSQL, protocol conformance and other prerequisites; a missing one fails. */
export default defineConfig({
  test: {
    setupFiles: ["test/helpers/properties.ts"],
    include: ["test/full/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
