import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { analytics } from "./analytics.ts";
import { board } from "./board.ts";
import { calculator } from "./calculator.ts";
import { customers } from "./customers.ts";
import { graph } from "./graph.ts";
import { home } from "./home.ts";
import { mailbox } from "./mailbox.ts";
import { nursery } from "./nursery.ts";
import { phone } from "./phone.ts";
import { recipes } from "./recipes.ts";
import { sales } from "./sales.ts";
import type { InventedService } from "./service.ts";
import { writeService } from "./sessions.ts";
import { shell } from "./shell.ts";
import { social } from "./social.ts";
import { tickets } from "./tickets.ts";
import { travel } from "./travel.ts";

/** Invented services, each with the tool listing and the sessions that `bench:fidelity -- invented` measures. */
export const INVENTED: readonly InventedService[] = [
  shell,
  mailbox,
  sales,
  travel,
  tickets,
  analytics,
  recipes,
  phone,
  social,
  calculator,
  board,
  graph,
  customers,
  home,
  nursery,
];

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
