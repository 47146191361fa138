import { defineConfig } from "vitest/config";
import { HANGS_MS } from "./test/hangs.ts";
import unit from "./vitest.config.ts";

/** `npm run test:data`: tests on real traces under SVC_DATA; a missing folder fails, it is not skipped. */
export default defineConfig({
  test: {
    ...unit.test,
    include: ["test/data/**/*.test.ts"],
    exclude: ["**/node_modules/**"],
    maxWorkers: 2,
    // Longer tests than those of `npm test`.
    testTimeout: 2 * HANGS_MS,
    hookTimeout: 2 * HANGS_MS,
    expect: { poll: { timeout: 2 * HANGS_MS, interval: 20 } },
  },
});
