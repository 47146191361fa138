import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { analytics } from "./analytics.ts";
import { mailbox } from "./mailbox.ts";
import { phone } from "./phone.ts";
import { recipes } from "./recipes.ts";
import { sales } from "./sales.ts";
import type { InventedService } from "./service.ts";
import { writeService } from "./sessions.ts";
import { shell } from "./shell.ts";
import { tickets } from "./tickets.ts";
import { travel } from "./travel.ts";

/** Invented services, each with the tool listing and the sessions that `bench:fidelity -- invented` measures. */
export const INVENTED: readonly InventedService[] = [shell, mailbox, sales, travel, tickets, analytics, recipes, phone];

/** Writes services below a folder that is removed afterwards, and gives what `use` gave. */
export async function withServices<T>(
  services: readonly InventedService[],
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "invented-"));
  try {
    for (const service of services) writeService(folder, service);
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
