import { defineConfig } from "vitest/config";

/** `npm test`: self-contained, needs a clone, npm and Node only. */
export default defineConfig({
  test: {
    setupFiles: ["test/helpers/properties.ts"],
    include: ["test/**/*.test.ts"],
    exclude: ["test/data/**", "test/full/**", "**/node_modules/**"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
