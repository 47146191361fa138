import { defineConfig } from "vitest/config";
import { HANGS_MS } from "./test/hangs.ts";
import unit from "./vitest.config.ts";

/** `npm run test:full`: PostgreSQL, protocol conformance and other prerequisites; a missing one fails. */
export default defineConfig({
  test: {
    ...unit.test,
    include: ["test/full/**/*.test.ts"],
    exclude: ["**/node_modules/**"],
    maxWorkers: 2,
    // These start services, browsers and databases: what one leaves in its process is no other's.
    isolate: true,
    // Longer tests than those of `npm test`.
    testTimeout: 2 * HANGS_MS,
    hookTimeout: 2 * HANGS_MS,
    expect: { poll: { timeout: 2 * HANGS_MS, interval: 20 } },
  },
});
