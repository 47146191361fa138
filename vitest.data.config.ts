import { defineConfig } from "vitest/config";

/** `npm run test:data`: tests on real traces under SVC_DATA; a missing folder fails, it is not skipped. */
export default defineConfig({
  test: {
    setupFiles: ["test/helpers/properties.ts"],
    include: ["test/data/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
