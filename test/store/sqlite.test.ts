import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../store/open.ts";
import { storeContract } from "./contract.ts";

storeContract("SQLite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-store-"));
  return {
    open: () => openStore({ path: join(folder, "data", "store.db") }),
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
});
