import type { InventedService } from "../service.ts";
import { broker } from "./broker.ts";
import { calendar } from "./calendar.ts";
import { inventory } from "./inventory.ts";
import { library } from "./library.ts";
import { music } from "./music.ts";
import { payments } from "./payments.ts";
import { repository } from "./repository.ts";

/** Services that no work on the compiler looks at: `bench:fidelity -- aside` measures them. */
export const ASIDE: readonly InventedService[] = [broker, library, payments, calendar, music, repository, inventory];
